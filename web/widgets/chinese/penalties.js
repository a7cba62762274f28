export const words = {
  title: "惩罚：历史改写 logit",
  lead: "写下到目前为止说过的话。其中出现过的词元会在 softmax 之前被压低。",
  said: "已经说过",
  caption: "词元、出现次数、惩罚前后的 logit 以及前后的概率",
  count: "次数",
  before: "之前",
  after: "之后",
  shift: "所有 logit 减去",
  asymmetry:
    "所有 logit 减去同一个数不改变任何概率，但重复惩罚会在意：它把大于零的相除，把小于零的相乘。减去 {shift} 之后，“{token}”从 {before} 变为 {after}。",
  flip: "领先者变了：“{first}”原有 {was}，现在“{second}”以 {now} 领先。",
  same: "“{first}”领先，之前 {was}，之后 {now}。",
  over: "过了头：一个关于 {hero} 的故事",
  try: "写两遍",
  written: "重复惩罚 {penalty}：{length} 个词元里“{hero}”出现 {count} 次",
  note: "两篇都在温度 0.7 下用同一个种子抽取。惩罚并不知道名字必须再次出现。",
  summary: "“{second}”以 {now} 领先。",
};
