// As a model wrote it. Made by demos/model/record.js.
export const settings = { passage: "lost her phone.", place: 11, temperature: 0.8, seed: 1 };
export const readers = [
  {
    order: 1,
    seen: "1 1 1 1 1 1 1 1 1 1 1 1 1 1",
    times: "1435 2674 2030 2888 7236 2260 4191 2168 7236 436 2260 2674 2019 4191",
    line: "\nNCLADY t finde; he te h d bep thar looo",
    next: "1122 232 1350 2632 748 3389 1436 2048 256 161 960 991 659 188",
    top: "l 17 ␣ 16 e 13\nu 21 ␣ 13 r 13\n␣ 31 t 13 e 13\nh 36 ␣ 26 o 9\nt 15 h 7 a 7\ne 34 a 21 i 13\n␣ 28 r 14 n 9\ne 22 ␣ 20 d 8\nt 15 h 7 a 7\ne 17 r 15 o 14\ne 34 a 21 i 13\nu 21 ␣ 13 r 13\nd 20 ␣ 19 o 11\n␣ 28 r 14 n 9",
  },
  {
    order: 2,
    seen: "1 2 2 2 2 2 2 2 2 2 2 2 2 2",
    times: "1435 161 62 274 760 541 766 602 444 185 7 217 265 133",
    line: "\n\nFor her grainem, and hard an that my h",
    next: "1122 621 3387 4708 526 3309 2180 2558 225 54 0 415 1660 902",
    top: "l 17 ␣ 16 e 13\nr 25 o 22 u 16\ne 40 t 34 s 13\n␣ 47 e 12 a 10\nt 18 s 7 b 7\ne 33 a 27 i 26\n␣ 40 r 22 n 8\n␣ 26 e 24 : 11\nt 14 h 12 m 8\nr 32 a 20 e 14\ne 71 ; 14 y 14\nu 56 l 8 s 8\n␣ 25 e 17 d 12\n␣ 23 s 16 v 10",
  },
  {
    order: 3,
    seen: "1 2 3 3 3 3 3 3 3 3 3 2 3 3",
    times: "1435 161 10 21 129 40 179 167 154 10 1 217 9 44",
    line: "\n\nGLOUCESTER:\nThe marrancast ther mannot",
    next: "1122 621 1000 7619 310 2500 2849 3713 195 0 0 415 1111 1136",
    top: "l 17 ␣ 16 e 13\nr 25 o 22 u 16\ne 50 s 40 t 10\n␣ 76 , 5 - 5\nM 23 t 21 b 10\na 42 e 25 i 25\n␣ 30 r 28 a 26\n␣ 37 e 29 , 8\nh 13 t 10 m 8\nr 60 a 30 e 10\ny 100\nu 56 l 8 s 8\no 78 e 11 y 11\n␣ 41 , 18 . 11",
  },
  {
    order: 4,
    seen: "1 2 3 4 4 4 4 4 4 4 3 2 3 4",
    times: "1435 161 10 1 16 4 10 51 62 3 1 217 9 1",
    line: "\n\nFirst Murderer:\nTake hear death of the",
    next: "1122 621 1000 10000 0 5000 4000 6275 161 0 0 415 1111 0",
    top: "l 17 ␣ 16 e 13\nr 25 o 22 u 16\ne 50 s 40 t 10\n␣ 100\nt 25 u 19 b 12\na 50 e 50\nr 40 ␣ 30 a 20\n␣ 63 e 22 , 4\nh 13 b 8 a 6\nr 67 a 33\ny 100\nu 56 l 8 s 8\no 78 e 11 y 11\ns 100",
  },
  {
    order: 5,
    seen: "1 2 3 4 5 4 5 5 5 5 3 2 3 4",
    times: "1435 161 10 1 1 4 2 4 32 1 1 217 9 1",
    line: "\n\nGLOUCESTER:\nThe self!\nLong mayst bend ",
    next: "1122 621 1000 10000 0 5000 5000 5000 312 0 0 415 1111 0",
    top: "l 17 ␣ 16 e 13\nr 25 o 22 u 16\ne 50 s 40 t 10\n␣ 100\nb 100\na 50 e 50\n␣ 50 r 50\n␣ 50 e 50\nh 19 f 12 w 12\nr 100\ny 100\nu 56 l 8 s 8\no 78 e 11 y 11\ns 100",
  },
  {
    line: "\n\nDUKE VINCENTIO:\nNay, hand!\n\nDUKE VINCE",
    next: "665 776 1523 3309 927 3043 6672 5031 379 38 396 244 1748 2",
    top: "␣ 24 l 14 e 11\nw 34 u 10 ␣ 9\ne 51 t 15 u 6\n␣ 33 e 19 i 8\nt 19 a 9 h 9\ni 35 e 30 a 23\nr 67 ␣ 11 a 9\n␣ 50 e 16 . 9\nh 13 s 9 b 8\nr 34 a 22 o 11\ny 35 r 23 i 16\no 46 s 25 m 5\no 66 e 17 s 5\ns 95 r 4 m 1",
  },
];
