export const words = {
  title: "不均匀的骰子",
  lead: "模型给出的数字就是一颗各面轻重不一的骰子。先用旋钮改变它，再掷：掷得少时忽高忽低，掷得多了就接近预期。",
  roll: "掷 {count} 次",
  rolls: "已掷 {count} 次。",
  before: "原来",
  expected: "骰子",
  observed: "掷出",
  wheel: "把骰子画成转盘：{faces}。它停在“{token}”。",
  still: "把骰子画成转盘：{faces}。",
  caption: "骰子的每一面：旋钮前后的概率，以及掷出的次数",
  chi: "χ² = {chi}，自由度 {free}。按这些权重掷骰子，偏差至少这么大的概率是 {p}。",
  few: "χ² 还说明不了什么：有的面预期出现不到 5 次。",
};
