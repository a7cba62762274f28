// What the storyteller wrote, token by token. Made by demos/model/record.js.
export const settings = { prompt: "Once upon a time", count: 70, seed: 1 };
export const texts = [
  {
    temperature: 0,
    tokens:
      ',| there| was| a| little| girl| named| Lily|.| She| loved| to| play| with| her| toys| and| eat| cookies|.| One| day|,| she| found| a| big| box| in| her| room|.| She| was| very| happy| and| wanted| to| play| with| it|.|\n|Lily| went| to| her| mom| and| said|,| "|Mom|,| can| I| play| with| the| toys|?"| Her| mom| said|,| "|Yes|,| but',
  },
  {
    temperature: 0.7,
    tokens:
      ",| there| was| a| little| girl| named| Lily|.| She| loved| to| play| with| her| toys| and| run| around| in| the| park|.| One| day|,| she| saw| a| big| park| with| lots| of| trees| and| flowers|.| She| wanted| to| play| with| them|,| but| she| was| scared|.|\n|Her| mom| saw| her| playing| with| the| grass| and| asked| her| what| was| wrong|.| Lily| told| her| about",
  },
  {
    temperature: 1.5,
    tokens:
      ',| there| was| a| big|?"| I|ob|y| re|ind|e|er|ful| duck| who| lived| in| the| park|.| He| had| an| in|se|ct| that| he| never| had| before|.| The| pond| was| bl|oom|y| for| alone| in| his| school|,| he| still| m|aisy|,| "|P|lease| leave| Timmy| fore|ver|."| the| heart| met| sad| because| he| didn|\'|t| tell| mom| about',
  },
];
