export const words = {
  title: "贪心的漩涡",
  lead: "每一步都取最可能的词元，看模型如何反复说同一句话：每重复一次，下一次重复就更可能。然后只把其中一个词元改为抽取。",
  prompt: "开头",
  run: "用贪心书写",
  noLoop: "{count} 个词元之内没有出现循环。",
  found: "从第 {start} 个词元起陷入循环，周期为 {period} 个词元。↻ 标出每一轮的开头。",
  curve: "整句话在每一轮的概率：从 {first} 到 {last}",
  said: "内容",
  turn: "轮次",
  phrase: "整句",
  mean: "平均每词元",
  numbers:
    "整句：各词元概率之积，用的是模型未经任何设置的概率。平均每词元：它们的几何平均。即使曲线下降，贪心也逃不出去：每个词元只要比其他的都更可能就够了。",
  inject: "抽取一个词元",
  drawn: "在第 {place} 个词元处，以温度 1 抽到“{token}”（{share}），而贪心会取“{greedy}”。此后仍全部用贪心。",
  same: "抽到的正是贪心所取的“{token}”。请换一个种子。",
  free: "循环被打破：之后 {count} 个词元都没有再绕圈。",
  again: "又陷入循环，周期为 {period} 个词元。",
  stop: "遇到循环就停",
  redraw: "退回重写",
  stopped:
    "用 loops: “stop”，文本在 {count} 个词元后停下，共 {turns} 轮，每轮 {period} 个词元。这里是到第一轮末尾为止的文本。",
  redrawn:
    "用 loops: “redraw”，文本退回了 {times} 次，共收回 {gone} 个词元。没有抽取：在新一轮将要开始的地方，改取其他词元中最可能的一个。",
};
