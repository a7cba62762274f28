// As a model wrote it. Made by demos/model/record.js.
export const settings = { prompt: "The dog had a box", count: 130, seed: 1 };
export const texts = [
  {
    temperature: 0,
    topP: 1,
    tokens:
      " of| toys|.| He| was| very| happy| and| excited|.| He| wanted| to| play| with| his| toys| all| day|.| So| he| went| to| the| park| and| found| a| big| box|.| He| opened| the| box| and| saw| a| big| box|.| He| opened| the| box| and| saw| a| big| box|.| He| opened| the| box| and| inside| was| a| big| box|.| He| opened| the| box| and| inside| was| a| big| box|.| He| opened| the| box| and| inside| was| a| big| box|.| He| opened| the| box| and| inside| was| a| big| box|.| He| opened| the| box| and| inside| was| a| big| box|.| He| opened| the| box| and| inside| was| a| big| box|.| He| opened| the| box| and| inside| was| a| big| box|.| He",
    bits: "77 277 147 118 107 117 187 166 257 106 36 219 9 143 23 85 43 201 29 51 166 105 298 64 104 130 128 333 71 163 181 57 61 170 43 0 13 217 158 158 156 80 106 144 31 0 27 204 125 210 154 92 124 117 22 0 27 179 100 17 264 131 74 144 86 20 0 23 164 91 19 299 143 81 125 69 20 0 24 164 88 19 314 147 79 120 69 18 0 23 162 90 19 327 136 88 113 57 16 0 21 161 86 19 325 142 90 106 60 17 0 23 168 84 19 328 146 93 104 55 18 0 20 173 83 19 341 143 95 110",
  },
  {
    temperature: 0.7,
    topP: 0.9,
    tokens:
      " for| his| own|er| to| play| with|.| He| was| so| excited| to| see| what| was| inside| the| box|.| He| opened| the| box| and| saw| a| big| box|.| The| box| was| so| big| and| shiny|.| The| box| was| very| shiny|.| He| wanted| to| play| with| it|.|\n|The| dog| ran| to| the| box| and| grabbed| the| box|.| He| ran| to| the| box| and| opened| it|.| Inside| the| box| was| a| tiny| rabbit|.| The| rabbit| was| very| surprised|.| He| had| never| seen| a| rabbit| before|.| He| was| so| happy|.|\n|The| rabbit| hopped| back| to| his| garden|.| He| played| with| the| rabbit| and| had| fun|.| The| rabbit| was| happy| too|.| He| played| with| the| rabbit| all| day",
    bits: "378 185 175 47 147 267 56 13 80 127 177 109 139 334 78 142 37 146 2 40 109 186 31 1 14 177 121 182 120 160 275 3 34 572 164 68 146 60 201 73 37 302 288 112 242 247 4 304 6 29 88 31 108 33 215 77 69 1 31 410 70 4 20 86 238 47 67 2 20 253 42 8 53 155 1 106 34 536 606 81 31 8 62 215 181 37 43 277 82 20 65 96 18 38 106 165 86 53 115 54 110 119 476 181 58 160 524 129 36 187 13 73 21 158 325 267 25 300 52 175 181 386 12 29 223 15 54 11 181 1",
  },
  {
    temperature: 2,
    topP: 1,
    tokens:
      " tasty| hid|ing| ice| together| in| sh|ip|.| She| loved| follow|ing| Max| behind| on| dif|f|ning| of| swing| all| she|ep| and| do| park| that| day|.|\n|Max| followed| her| mum| very| far| across| her| proud| dragon| but| angry| sister| disapp|ear| able| and| continued| exciting| things|.| But| after| don| enough| enough| Jack| best|,| running| off|lease| say| col| other| funny| words| of| different|ip| -| cu|lp|ture| hor|sel|y| around| park| a| bit| se|p| clothes| too| Mom| or| ask| dirty| now| read|ily| for| dinner| again| keep| T|em|ty|or| adventures|!|\n|Anna| listened| closed|oud| back| no| answ|er|y| and| forgot| that|day| a| and| thr| arm|s| wor| sound| coming| from| all| fin|After| more",
    bits: "1988 1084 62 1077 1253 383 1323 443 10 904 455 1396 1 909 1208 1144 1806 0 1676 235 1343 1096 1070 916 263 961 1534 1117 7 4 102 67 825 146 590 1016 371 1161 610 1481 1385 765 1981 1577 1205 626 1763 589 954 2029 738 74 586 614 1648 1590 987 998 1016 192 1214 591 2358 1326 1685 1482 1127 206 286 608 1532 766 1704 201 91 2113 415 1 1048 1627 948 366 1235 108 2354 584 1789 725 1283 2189 761 2024 550 366 412 1194 1863 1460 960 483 1578 1239 464 178 1013 891 2155 2169 785 1016 1368 26 1587 131 931 505 1854 964 1561 1286 1744 337 1287 2544 787 45 699 1901 2028 1186",
  },
];
