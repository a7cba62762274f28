export const words = {
  title: "温度为 0，却有两个答案",
  lead: "一个 logit 是一长串数之和。计算机每加一次就舍入一次，换个顺序，最后一位就会不同；两个词元几乎打平时，赢家就会易主。打乱顺序看看。",
  gap: "“{rival}”比精确和领先多少（打平算它赢）",
  drift: "两台机器的和与精确和之差（百万分之一）",
  added: "已加的乘积",
  drifted: "百万分之一",
  numbers: "全部乘积与累加和",
  order0: "机器一：按原顺序",
  order1: "机器二：打乱顺序",
  product: "乘积",
  sum: "累计",
  score: "“{own}” {sum} · “{rival}” {level}",
  wins: "温度 0 下胜出：“{token}”",
  own: "是",
  rival: "否",
  summary:
    "两个和相差 {difference}。打乱 {tries} 次，{own} 次得到“{a}”，{others} 次得到“{b}”；共出现 {sums} 个不同的和。",
  fixed:
    "服务器采用对当时的批次和芯片来说最快的相加顺序。lastinch 的采样器在任何地方都按同一固定顺序相加，因此同样的 logits 在每台机器上给出同样的词元。模型本身的 logits 在不同构建之间仍可能差最后几位。",
  tooMany: "表中有 {count} 个乘积；最多能看清 {most} 个。",
};
