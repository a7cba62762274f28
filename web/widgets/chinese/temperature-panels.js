export const words = {
  title: "三种温度",
  lead: "logit 先除以温度，再做 softmax。名次不变，差距在变。",
  panel: "T = {temperature}",
  low: "第一个温度",
  middle: "第二个温度",
  high: "第三个温度",
  rolls: "文本的词元数",
  derail: "假如每一步都和这一步一样，{rolls} 个词元里“{token}”至少出现一次的概率：",
  odds: "T = {temperature}：每步 {share}，合计 {total}",
  summary: "三种温度下最可能的词元：{tops}。",
};
