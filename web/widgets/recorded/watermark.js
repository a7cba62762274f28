// As a model wrote it. Made by demos/model/record.js.
export const settings = { prompt: "Once upon a time", scheme: "gumbel", count: 80, temperature: 1, seed: 1 };
export const texts = [
  {
    tokens:
      ",| there| was| a| little| girl| named| Lily|.| She| loved| to| play| with| her| toys| and| Timmy|'|s| favorite| toy| she| man|ag|ed| to| play| with|.| He| would| ru|sh| his| toy| car| bright| red| car|p|et|s|.| One| day|,| she| took| one| of| all| her| toys| on| the| car|p|et|.| It| was| very| hard| for| her| people| over| the| car|p|et|s| so| they| could| not| wear| it|.",
    bits: "35 12 10 3 97 66 28 45 5 23 43 17 66 119 7 60 65 1078 118 0 96 22 570 1177 3 5 3 148 20 12 800 177 688 217 290 187 182 1501 261 112 218 1 94 571 297 7 0 458 480 653 148 1055 77 37 441 64 115 0 0 251 338 13 301 429 283 103 1239 830 137 36 0 0 21 827 90 63 374 482 163 27",
    fall: "0 0 0 0 -323 -642 -635 -403 -255 -216 -238 -165 -139 -105 -177 -169 -131 -130 -121 -89 -81 -171 -281 -391 -359 -429 -354 -386 -328 -319 -265 -217 -181 -344 -287 -240 -196 -190 -186 -188 -183 -172 -172 -185 -163 -208 -215 -184 -180 -158 -133 -163 -143 -119 -96 -94 -83 -104 -138 -137 -117 -101 -126 -107 -100 -82 -68 -137 -119 -115 -98 -99 -99 -99 -95 -90 -159 -163 -147 -139",
  },
  {
    tokens:
      ',| there| was| a| little| girl| named| Lily|.| She| loved| to| play| outside| with| her| friends|.| One| day|,| Lily|\'|s| mom| gave| her| a| surprise| for| her| and| said|,| "|Lily|,| this| treat| is| a| big| cake|!"| Lily| loved| ice| so| much|.| She| picked| it| up|,| and| showed| it| to| her| parents|.|\n|Her| parents| asked| her| what| she| should| do| with| it|,| but| Lily| told| her| that| she',
    bits: "35 12 10 3 97 66 28 45 5 23 43 17 66 130 220 1 91 79 18 4 1 98 112 0 110 255 1 13 561 47 38 475 142 16 0 41 6 419 650 59 149 491 356 151 58 668 835 483 53 522 119 615 48 4 668 31 557 6 1 4 637 9 84 165 12 399 29 197 210 585 100 143 197 299 26 136 90 13 194 136",
    fall: "0 0 0 0 -323 -642 -635 -403 -255 -216 -238 -165 -139 -146 -363 -343 -286 -288 -328 -337 -361 -299 -418 -334 -366 -413 -392 -408 -616 -680 -601 -827 -772 -667 -584 -675 -588 -867 -1298 -1175 -1270 -1727 -2251 -2869 -2892 -3587 -4624 -5341 -5241 -6375 -6522 -7187 -6999 -7656 -8229 -8132 -8598 -8429 -8397 -8127 -8802 -8553 -8269 -8299 -8096 -8673 -8613 -8583 -8416 -9154 -9073 -10251 -10289 -10481 -10924 -10770 -10557 -10260 -10185 -10131",
  },
];
