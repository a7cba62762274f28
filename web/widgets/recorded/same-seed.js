// As a model wrote it. Made by demos/model/record.js.
export const settings = { prompt: "Once upon a time", count: 70, seed: 1 };
export const texts = [
  {
    temperature: 0,
    tokens:
      ',| there| was| a| little| girl| named| Lily|.| She| loved| to| play| with| her| toys| and| eat| cookies|.| One| day|,| she| found| a| big| box| in| her| room|.| She| was| very| happy| and| wanted| to| play| with| it|.|\n|Lily| went| to| her| mom| and| said|,| "|Mom|,| can| I| play| with| the| toys|?"| Her| mom| said|,| "|Yes|,| but',
    bits: "35 12 10 3 97 66 28 45 5 23 43 17 66 119 7 60 65 206 138 19 8 4 0 113 176 14 102 220 138 89 114 11 92 141 69 116 53 138 1 177 11 24 31 20 46 201 55 38 60 18 78 2 0 100 2 66 38 79 7 85 154 28 16 1 109 0 0 100 1 185",
  },
  {
    temperature: 0.7,
    tokens:
      ",| there| was| a| little| girl| named| Lily|.| She| loved| to| play| with| her| toys| and| run| around| in| the| park|.| One| day|,| she| saw| a| big| park| with| lots| of| trees| and| flowers|.| She| wanted| to| play| with| them|,| but| she| was| scared|.|\n|Her| mom| saw| her| playing| with| the| grass| and| asked| her| what| was| wrong|.| Lily| told| her| about",
    bits: "35 12 10 3 97 66 28 45 5 23 43 17 66 119 7 60 65 359 19 338 23 82 10 8 4 1 74 131 19 131 587 55 96 0 259 82 173 36 45 113 1 274 38 113 62 22 58 221 379 109 23 385 14 244 70 282 171 129 342 16 328 63 131 53 14 2 18 24 2 169",
  },
  {
    temperature: 1.5,
    tokens:
      ",| there| was| a| big|?\"| I|ob|y| re|ind|e|er|one| worked| together| from| that| tree| in| re|ind|e|er| and| lo|ad|ed| h| pink| l|ine| higher| and| higher| every| day|.| One| day|,| a| curious| most| har|pl|ane| was| flying| past| it|!| He| flew| over| to| see| what| it| wasn|'|t| grass| far| from| and| noticed| Joe| that| had",
    bits: "35 12 10 3 395 1457 1265 692 93 1010 548 21 20 1604 1363 484 1142 490 662 526 1088 14 0 23 548 1020 267 48 940 2103 564 235 884 171 4 807 19 20 266 5 4 114 771 1484 871 1476 809 400 230 559 622 452 304 530 275 54 498 75 161 1054 0 0 1325 754 570 910 614 1332 771 854",
  },
];
