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
  "20 40 60 80 100 120 140 160 180 200 240 320 400 480 560 640 720 800 880 960 1040 1120 1200 1280 1360 1440 1520 1600 1680 1760 1840 1920 2000",
  "387 298 258 239 231 224 218 214 206 202 190 176 165 163 155 148 144 141 140 136 134 133 130 128 124 124 124 119 119 119 117 116 115",
  "336 274 251 241 231 224 219 212 207 201 197 185 181 177 176 176 170 171 173 178 175 177 177 177 180 181 184 182 183 181 185 185 185",
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
