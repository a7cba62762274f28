// As a model wrote it. Made by demos/model/record.js.
export const settings = {
  prompt: "Once upon a time",
  human:
    " there were four little Rabbits, and their names were Flopsy, Mopsy, Cotton-tail, and Peter. They lived with their Mother in a sand-bank, underneath the root of a very big fir-tree.",
  plain:
    ", there was a little boy named Tim. He had a red ball. One day, Tim went to the park with his mom. He saw a big dog. The dog wanted to play with the ball, too. Tim was happy to share.",
  seed: 1,
};
export const texts = [
  {
    name: "byHuman",
    tokens:
      " there| were| f|our| little| R|a|bbit|s|,| and| their| nam|es| were| Fl|op|sy|,| M|op|sy|,| C|ott|on|-|t|ail|,| and| P|eter|.| They| lived| with| their| M|other| in| a| sand|-|b|ank|,| under|n|e|at|h| the| ro|ot| of| a| very| big| f|ir|-|t|ree|.",
    bits: "223 400 1475 165 196 1147 530 24 218 322 344 654 870 2 69 787 1294 1371 461 797 332 666 257 1334 1342 241 1449 674 1493 244 233 674 424 43 237 566 769 297 1147 1292 713 181 1507 934 1269 545 351 955 649 6 0 2 245 705 981 1007 276 1071 302 875 1014 1416 69 1168 119",
  },
  {
    name: "byPlain",
    tokens:
      ",| there| was| a| little| boy| named| Tim|.| He| had| a| red| ball|.| One| day|,| Tim| went| to| the| park| with| his| mom|.| He| saw| a| big| dog|.| The| dog| wanted| to| play| with| the| ball|,| too|.| Tim| was| happy| to| share|.",
    bits: "35 12 10 3 97 200 15 164 3 249 224 11 513 179 195 345 4 1 53 202 20 39 25 143 2 37 15 188 71 20 71 366 221 30 1 409 3 59 100 90 95 335 1001 10 141 310 221 132 582 426",
  },
  {
    name: "greedy",
    tokens:
      ",| there| was| a| little| girl| named| Lily|.| She| loved| to| play| with| her| toys| and| eat| cookies|.| One| day|,| she| found| a| big| box| in| her| room|.| She| was| very| happy| and| wanted| to| play| with| it|.|\n|Lily| went| to| her",
    bits: "35 12 10 3 97 66 28 45 5 23 43 17 66 119 7 60 65 206 138 19 8 4 0 113 176 14 102 220 138 89 114 11 92 141 69 116 53 138 1 177 11 24 31 20 46 201 55 38",
  },
  {
    name: "beam",
    tokens:
      ',| there| was| a| little| girl| named| Lily|.| She| loved| to| play| with| her| toys| and| eat| cookies|.| One| day|,| Lily|\'|s| mom| gave| her| a| big| box| of| cookies|.| Lily| was| very| happy| and| said|,| "|Thank| you|,| mommy|!"',
    bits: "35 12 10 3 97 66 28 45 5 23 43 17 66 119 7 60 65 206 138 19 8 4 0 151 62 0 36 249 1 25 165 283 58 66 146 59 44 109 51 76 246 8 0 172 3 19 37 86",
  },
  {
    name: "nucleus",
    tokens:
      ",| there| was| a| little| girl| named| Lily|.| She| loved| to| play| with| her| toys| and| co|ll|ect| toys|.| One| day|,| she| wanted| to| play| with| her| toys|,| but| she| could| not| find| them|.| So|,| she| gave| them| a| toy| and",
    bits: "35 12 10 3 97 66 28 45 5 23 43 17 66 119 7 60 65 733 26 5 788 33 7 4 1 103 505 2 219 30 11 34 205 18 94 493 3 19 127 40 389 6 19 779 67 125 504 383",
  },
];
