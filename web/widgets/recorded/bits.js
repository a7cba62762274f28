// As a model wrote it. Made by demos/model/record.js.
export const settings = { prompt: "Once upon a time there was a", count: 60, temperature: 0.7, seed: 1 };
export const levels = {
  heldOut: 191,
  vocabulary: 2048,
  sizes: [4775680, 2563840, 1974016, 1679104, 1384192, 1089280, 794368],
  surprise: [393, 393, 393, 394, 395, 406, 454],
  stories: [
    " boy| who| had| a| big| box|.| He| wanted| to| open| it| too|.| He| thought| it| was| very| int|e|re|st|ing| to| open| the| box|.| He| wanted| to| open| the| box| so| he| opened| the| box|.|\n|He| opened| the| box| and| saw| many| colorful| things|.| He| wanted| to| open| it|.| He| climbed",
    " boy| who| had| a| big| box|.| He| wanted| to| open| it| too|.| He| thought| it| was| very| int|e|re|st|ing| to| open| the| box|.| He| wanted| to| open| the| box| so| he| opened| the| box|.|\n|He| opened| the| box| and| saw| many| colorful| things|.| He| wanted| to| open| it|.| He| climbed",
    " boy| who| had| a| big| box|.| He| wanted| to| open| it| but| he| couldn|'|t| open| it|.| He| wanted| to| open| the| box| but| he| was| too| big|.| He| asked| his| mom| if| he| could| open| it|.| His| mom| said| no|,| he| couldn|'|t| open| it|.|\n|Mom| said| no|,| because",
    " boy| who| had| a| big| box|.| He| wanted| to| open| it| all| the| way| to| open| the| box|.| But| he| was| too| little| to| open| the| box|.|\n|Suddenly|,| the| box| started| to| move|.| The| box| was| open|!| Inside| the| box| was| a| secret| book|!| The| boy| was| so| excited|.| He| watched",
    " boy| who| had| a| big| box|.| He| wanted| to| open| it| but| he| couldn|'|t| open| it|.| He| was| so| sad| and| he| could| not| find| his| mom|.| He| wanted| to| know| what| was| inside|.|\n|He| opened| the| box| and| found| a| safe| spot| on| the| box|.| He| opened| it| and| saw| many",
    " boy| who| was| feeling| very| happy|.| He| wanted| to| go| on| an| adventure|,| so| he| asked| his| mom| if| he| could| go| and| his| mom| said| yes|.|\n|So| they| went| on| a| walk|.| As| they| walked|,| they| noticed| that| the| sky| was| full| of| col|our|ful| grass|.| The| boy| was| so| excited",
    " white| rabbit| who| lived| in| a| ch|all|en|ut|ter|.| Every|where| it| went| people| would| come| and| explore| the| me|adow| and| go| to| the| play|g|round|.| One| day|,| the| rabbit| hopped| on| the| bike| and| got| really| close| to| the| b|ree|k|.| After| a| while|,| the| rabbit| hopped| on|to",
  ],
};
