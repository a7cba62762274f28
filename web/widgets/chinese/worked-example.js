export const words = {
  title: "一步：输入 logit，输出概率",
  lead: "模型给它认识的每个词元打一个分，softmax 把分数变成份额。改动一个分数，看看是谁付出了代价。",
  caption: "词元及其 logit 与概率",
  edit: "{token} 的 logit",
  entropy: "熵 {bits} 比特：相当于 {choices} 个同样可能的词元那样不确定。",
  context: "The cat sat on the …",
  summary: "最可能的是 {token}，{share}。熵 {bits} 比特。",
};
