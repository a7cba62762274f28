export const words = {
  title: "核采样：top-p",
  lead: "从最可能的词元开始依次保留，直到概率之和达到 p；其余的被截去，留下的按比例放大到 100%，再从中抽取。",
  original: "概率",
  sum: "累计",
  scaled: "放大后",
  caption: "从最可能的词元往下：累计概率，以及截断之后的结果",
  draw: "抽取一次",
  scaledSum: "放大后累计",
  strip: "留下的词元放大后并排铺开：{parts}",
  between: "随机数 {u} 落在 {from} 与 {to} 之间，抽到“{token}”。",
  drawn: "随机数 {u} 落在“{token}”上：它是第一个使累计值超过该数的词元。",
  summary: "{count} 个词元中保留 {kept} 个，总概率 {mass}。最可能的是 {token}，现为 {share}。",
};
