// As a model wrote it. Made by demos/model/record.js.
export const settings = { source: "alice", learningRate: 0.003, steps: 2000, temperature: 0.8, seed: 1 };
export const counted = [
  "Sofof inld sang, fe tag I e as than ite t sst s toly se sant",
  "So se knot shen she the Mabbit to me versames saws was licer",
  'So see."\n"I must help me came and she have to says you had t',
  "So she other heard as in a game upon play with William's cor",
  "So she ought poor Alice after all seemed quite a little patt",
];
export const curve = [
  "20 40 60 80 100 120 140 160 180 200 240 280 320 360 400 440 480 520 560 600 640 680 720 760 800 840 880 920 960 1000 1040 1080 1120 1160 1200 1240 1280 1320 1360 1400 1440 1480 1520 1560 1600 1640 1680 1720 1760 1800 1840 1880 1920 1960 2000",
  "387 298 258 239 231 224 218 214 206 202 190 183 176 172 165 165 163 157 155 153 148 148 144 143 141 141 140 135 136 134 134 133 133 130 130 127 128 125 124 121 124 123 124 123 119 121 119 119 119 118 117 116 116 115 115",
  "336 274 251 241 231 224 219 212 207 201 197 191 185 182 181 178 177 175 176 176 176 171 170 175 171 171 173 182 178 177 175 177 177 174 177 175 177 177 180 178 181 181 184 175 182 182 183 179 181 182 185 181 185 184 185",
];
export const samples = [
  { step: 0, loss: 422, text: "seCdD.EIpCCTOKhNZJc;cU;C\n\"'''T\"chAOBGnQQrAbpu?d\"lwOyRaaRZWWx" },
  { step: 20, loss: 387, text: "qb:hF-JPrBAcULmRWJW;cT?E CC.)i'YmDVBDodPuDgtw:i suNzQdYYhbbx" },
  { step: 80, loss: 239, text: "Oh the oumeld the sere lale ar thee ovedikert tast ware, meu" },
  { step: 320, loss: 176, text: "Ther beging offen the cland apery right thers says was looki" },
  { step: 720, loss: 144, text: "Ther ammom offened again a car she ferrished compperate of w" },
  { step: 1520, loss: 124, text: "I'll do was hard, scried for she dod white stat to the house" },
  { step: 2000, loss: 115, text: 'Brandy put one or the had hame somebody them.\n"An at it was ' },
];
