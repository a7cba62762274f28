export const words = {
  title: "一次一个字符",
  lead: "这个模型只认得莎士比亚戏剧里的字符。看看下一个可能是什么，用旋钮改变它，让文本一个字符一个字符地长出来。",
  prompt: "文本的开头",
  look: "显示下一个字符",
  one: "抽取一个",
  many: "抽取 {count} 个",
  caption: "下一个字符：模型给出的概率，以及旋钮作用之后的概率",
  model: "模型",
  after: "旋钮之后",
  drawn: "抽到“{token}”，当时的概率是 {share}。",
  summary: "{count} 个字符中有 {kept} 个可以接下去；最可能的是“{token}”，{share}。",
};
