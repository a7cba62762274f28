export const words = {
  title: "同一组柱子上的三把尺",
  lead: "Top-k 数柱子的个数，top-p 累加面积，min-p 按最高的柱子划一条高度线。分别移动，看看各自留下谁。",
  caption: "从最可能的词元往下，以及每条规则保留谁",
  sum: "累计",
  bar: "此处 min-p 的高度线：{floor}（{top} 的 {minP}）。",
  agree: "三者保留的相同，共 {count} 个：{tokens}。",
  differ: "三者都保留：{both}。只有部分规则保留：{some}。",
  none: "无",
  summary: "Top-k 保留 {topK} 个，top-p 保留 {topP} 个，min-p 保留 {minP} 个。",
};
