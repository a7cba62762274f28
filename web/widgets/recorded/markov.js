// As a model wrote it. Made by demos/model/record.js.
export const settings = { passage: "She has lost her phone.", place: 19, temperature: 0.8, seed: 1 };
export const readers = [
  {
    order: 1,
    seen: "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
    times:
      "206 2260 4191 7236 2260 2392 2030 7236 1435 2674 2030 2888 7236 2260 4191 2168 7236 436 2260 2674 2019 4191",
    line: "\nNCLADY t finde; he te h d bep thar looo",
    next: "631 3389 2756 748 2058 615 3133 304 1122 232 1350 2632 748 3389 1436 2048 256 161 960 991 659 188",
    top: "T 48 e 14 : 10\ne 34 a 21 i 13\n␣ 28 r 14 n 9\nt 15 h 7 a 7\ne 34 a 21 i 13\nn 17 t 16 r 13\n␣ 31 t 13 e 13\nt 15 h 7 a 7\nl 17 ␣ 16 e 13\nu 21 ␣ 13 r 13\n␣ 31 t 13 e 13\nh 36 ␣ 26 o 9\nt 15 h 7 a 7\ne 34 a 21 i 13\n␣ 28 r 14 n 9\ne 22 ␣ 20 d 8\nt 15 h 7 a 7\ne 17 r 15 o 14\ne 34 a 21 i 13\nu 21 ␣ 13 r 13\nd 20 ␣ 19 o 11\n␣ 28 r 14 n 9",
  },
  {
    order: 2,
    seen: "1 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2",
    times: "206 13 766 1155 541 465 147 636 220 161 62 274 760 541 766 602 444 185 7 217 265 133",
    line: "\n\nFor her grainem, and hard an that my h",
    next: "631 4615 3956 649 2680 129 4490 236 4000 621 3387 4708 526 3309 2180 2558 225 54 0 415 1660 902",
    top: "T 48 e 14 : 10\ne 46 o 31 a 15\n␣ 40 r 22 n 8\nt 14 a 7 s 7\ne 33 a 27 i 26\nt 53 v 12 l 8\n␣ 45 t 21 s 10\nt 13 a 8 o 7\no 40 i 28 e 16\nr 25 o 22 u 16\ne 40 t 34 s 13\n␣ 47 e 12 a 10\nt 18 s 7 b 7\ne 33 a 27 i 26\n␣ 40 r 22 n 8\n␣ 26 e 24 : 11\nt 14 h 12 m 8\nr 32 a 20 e 14\ne 71 ; 14 y 14\nu 56 l 8 s 8\n␣ 25 e 17 d 12\n␣ 23 s 16 v 10",
  },
  {
    order: 3,
    seen: "1 2 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 2 3 3",
    times: "206 13 6 303 75 145 6 66 15 88 10 21 129 40 179 167 154 10 1 217 9 44",
    line: "\n\nGLOUCESTER:\nThe marrancast ther mannot",
    next: "631 4615 10000 792 2133 345 0 152 5333 682 1000 7619 310 2500 2849 3713 195 0 0 415 1111 1136",
    top: "T 48 e 14 : 10\ne 46 o 31 a 15\n␣ 100\ns 10 d 10 w 9\ni 29 e 28 a 21\nv 39 t 22 d 11\nt 100\nt 21 I 15 y 12\no 53 i 20 a 13\nr 40 v 26 o 13\ne 50 s 40 t 10\n␣ 76 , 5 - 5\nM 23 t 21 b 10\na 42 e 25 i 25\n␣ 30 r 28 a 26\n␣ 37 e 29 , 8\nh 13 t 10 m 8\nr 60 a 30 e 10\ny 100\nu 56 l 8 s 8\no 78 e 11 y 11\n␣ 41 , 18 . 11",
  },
  {
    order: 4,
    seen: "1 2 3 4 4 4 4 3 4 4 4 4 4 4 4 4 4 4 3 2 3 4",
    times: "206 13 6 6 24 16 5 66 1 8 6 1 16 4 10 51 62 3 1 217 9 1",
    line: "\n\nFirst Murderer:\nTake hear death of the",
    next: "631 4615 10000 1667 3333 0 0 152 0 2500 1667 10000 0 5000 4000 6275 161 0 0 415 1111 0",
    top: "T 48 e 14 : 10\ne 46 o 31 a 15\n␣ 100\nm 83 h 17\na 33 o 29 e 25\nt 38 v 38 n 12\nt 100\nt 21 I 15 y 12\ne 100\nr 25 s 25 v 25\ns 67 e 17 t 17\n␣ 100\nt 25 u 19 b 12\na 50 e 50\nr 40 ␣ 30 a 20\n␣ 63 e 22 , 4\nh 13 b 8 a 6\nr 67 a 33\ny 100\nu 56 l 8 s 8\no 78 e 11 y 11\ns 100",
  },
  {
    order: 5,
    seen: "1 2 3 4 5 5 4 3 4 4 5 5 5 4 5 5 5 5 3 2 3 4",
    times: "206 13 6 6 1 8 5 66 1 8 2 1 1 4 2 4 32 1 1 217 9 1",
    line: "\n\nGLOUCESTER:\nThe self!\nLong mayst bend ",
    next: "631 4615 10000 1667 10000 0 0 152 0 2500 0 10000 0 5000 5000 5000 312 0 0 415 1111 0",
    top: "T 48 e 14 : 10\ne 46 o 31 a 15\n␣ 100\nm 83 h 17\na 100\nt 50 v 25 n 12\nt 100\nt 21 I 15 y 12\ne 100\nr 25 s 25 v 25\ns 100\n␣ 100\nb 100\na 50 e 50\n␣ 50 r 50\n␣ 50 e 50\nh 19 f 12 w 12\nr 100\ny 100\nu 56 l 8 s 8\no 78 e 11 y 11\ns 100",
  },
  {
    line: "\n\nDUKE VINCENTIO:\nNever be else, but the",
    next: "1024 3890 2299 1072 8693 921 8265 287 2771 1457 8292 5942 677 3717 6574 5617 358 33 588 276 1760 2",
    top: "␣ 17 : 12 h 10\ne 39 o 26 a 23\nd 24 ␣ 23 a 13\ns 13 h 11 i 9\na 87 e 7 o 3\nt 49 d 19 v 19\n␣ 83 t 8 , 4\ns 12 t 11 a 9\ni 30 o 28 e 24\nv 28 o 24 n 19\nt 83 e 9 s 6\n␣ 59 , 11 . 9\nt 21 a 10 s 7\ne 37 i 36 a 19\nr 66 ␣ 18 a 6\n␣ 56 e 23 , 5\ns 11 t 11 f 9\nr 32 a 23 o 14\ny 33 r 21 i 14\ns 37 o 32 m 8\no 49 e 18 s 14\ns 96 r 3 m 0",
  },
];
