export const words = {
  title: "升温时的 min-p 与 top-p",
  lead: "真实的一行里有成千上万个不太可能的词元，升温会把它们全部抬高：它们合起来足以填满 top-p 的份额，于是被放进来几百个；min-p 则要求每一个都能与最可能的词元相比。把温度调高试试。",
  prompt: "模型先读到的文字",
  read: "让模型给出下一行",
  label: "温度从 0 到 5 时保留的词元数：top-p {topP} 与 min-p {minP}",
  kept: "保留的词元数（对数坐标）",
  here: "T = {t}",
  caption: "各温度下保留的词元数",
  numbers: "曲线的数据",
  summary:
    "温度 {t} 时，{count} 个词元中 top-p 保留 {p} 个，min-p 保留 {m} 个。用 top-p 时，有 {share} 的机会抽到 min-p 会截去的词元。",
};
