// As a model wrote it. Made by demos/model/record.js.
export const settings = { prompt: "Once upon a time", scheme: "gumbel", count: 80, temperature: 1, seed: 1 };
export const texts = [
  {
    tokens:
      ",| there| was| a| little| girl| named| Lily|.| She| loved| to| play| with| her| toys| and| Timmy|'|s| favorite| toy| she| man|ag|ed| to| play| with|.| He| would| ru|sh| his| toy| car| bright| red| car|p|et|s|.| One| day|,| she| took| one| of| all| her| toys| on| the| car|p|et|.| It| was| very| hard| for| her| people| over| the| car|p|et|s| so| they| could| not| wear| it|.",
    bits: "35 12 10 3 97 66 28 45 5 23 43 17 66 119 7 60 65 1078 118 0 96 22 570 1177 3 5 3 148 20 12 800 177 688 217 290 187 182 1501 261 112 218 1 94 571 297 7 0 458 480 653 148 1055 77 37 441 64 115 0 0 251 338 13 301 429 283 103 1239 830 137 36 0 0 21 827 90 63 374 482 163 27",
    fall: "0 0 0 0 -32 -64 -63 -40 -25 -22 -24 -17 -14 -10 -18 -17 -13 -13 -12 -9 -8 -17 -28 -39 -36 -43 -35 -39 -33 -32 -26 -22 -18 -34 -29 -24 -20 -19 -19 -19 -18 -17 -17 -19 -16 -21 -22 -18 -18 -16 -13 -16 -14 -12 -10 -9 -8 -10 -14 -14 -12 -10 -13 -11 -10 -8 -7 -14 -12 -11 -10 -10 -10 -10 -10 -9 -16 -16 -15 -14",
  },
  {
    tokens:
      ',| there| was| a| little| girl| named| Lily|.| She| loved| to| play| outside| with| her| friends|.| One| day|,| Lily|\'|s| mom| gave| her| a| surprise| for| her| and| said|,| "|Lily|,| this| treat| is| a| big| cake|!"| Lily| loved| ice| so| much|.| She| picked| it| up|,| and| showed| it| to| her| parents|.|\n|Her| parents| asked| her| what| she| should| do| with| it|,| but| Lily| told| her| that| she',
    bits: "35 12 10 3 97 66 28 45 5 23 43 17 66 130 220 1 91 79 18 4 1 98 112 0 110 255 1 13 561 47 38 475 142 16 0 41 6 419 650 59 149 491 356 151 58 668 835 483 53 522 119 615 48 4 668 31 557 6 1 4 637 9 84 165 12 399 29 197 210 585 100 143 197 299 26 136 90 13 194 136",
    fall: "0 0 0 0 -32 -64 -63 -40 -25 -22 -24 -17 -14 -15 -36 -34 -29 -29 -33 -34 -36 -30 -42 -33 -37 -41 -39 -41 -62 -68 -60 -83 -77 -67 -58 -68 -59 -87 -130 -118 -127 -173 -225 -287 -289 -359 -462 -534 -524 -638 -652 -719 -700 -766 -823 -813 -860 -843 -840 -813 -880 -855 -827 -830 -810 -867 -861 -858 -842 -915 -907 -1025 -1029 -1048 -1092 -1077 -1056 -1026 -1019 -1013",
  },
];
