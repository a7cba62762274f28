// What the storyteller wrote for the landing page, token by token. Made by demos/model/record-pages.js.
export const texts = [
  {
    temperature: 0,
    tokens:
      " big| box|.| The| box| was| very| pretty|.| The| fox| wanted| to| play| with| the| box|.| The| fox| tried| to| open| the| box|,| but| it| was| too| big|.| The| fox| was| sad|.|\n|The| fox| saw| a| big| box|.| The| box| was| not| nice|.| It| was| a| big|,",
    tints: "32221123111102010111302101012121202110212123210123012232",
  },
  {
    temperature: 0.2,
    tokens:
      " big| box|.| The| box| was| very| heavy|.| The| fox| wanted| to| open| the| box|.| The| fox| tried| to| open| the| box|,| but| it| was| too| heavy|.| The| fox| was| sad|.|\n|A| little| girl| named| Lily| saw| the| box|.| She| wanted| to| help| the| fox|.| She| took| the",
    tints: "32221123111202101213101010111112021102221110110102101131",
  },
  {
    temperature: 0.4,
    tokens:
      " big| box|.| The| box| was| open|.| Inside| the| box| was| a| big| box|.| The| box| was| very| shiny|.| The| fox| wanted| to| open| the| box|.|\n|The| fox| found| a| shiny| box|.| The| box| was| shiny| and| shiny|.| The| box| was| shiny| and| shiny|.| The| fox| wanted| to",
    tints: "32221132110202211112311120210112131421101212012122201120",
  },
  {
    temperature: 0.6,
    tokens:
      ' special| box|.| Inside| the| box|,| there| was| a| little| girl| named| Lily|.| She| wanted| to| open| the| box|,| but| she| was| too| small| and| didn|\'|t| know| what| to| do|.|\n|Lily| asked| her| friend|,| Tim|,| "|What| is| wrong|,| Tim|?"| Tim| replied|,| "|I',
    tints: "42221021103311013031021122133001111011302120221311023001",
  },
  {
    temperature: 0.8,
    tokens:
      " shiny| co|pper|.| She| was| curious| and| wanted| to| see| what| was| inside|.| She| hopped| up| to| the| top| of| the| co|pper| and| reached| for| it|.|\n|The| fox| was| so| curious| she| couldn|'|t| believe| her| eyes|.| She| said| to| herself|,| \"|What|'|s| inside| the| co",
    tints: "43224241103011114311421201421022032343002211152210330221",
  },
  {
    temperature: 1,
    tokens:
      " really| special| key|.| It| was| thin|king| of| a| little| l|id|.| The| fox| didn|'|t| know| where| it| belong|ed| to| it|,| it| kept| to| be| small| and| e|as|y| to| open| without| any| key|.|\n|Suddenly|,| a| little| mouse| app|eared| in| fr|on|t| of| the",
    tints: "53512052315532215001313023344534252023523114013230330000",
  },
  {
    temperature: 1.2,
    tokens:
      ' sho|vel|.| He| would| jump|,| jump| and| run| to| the| ground|.| He| wanted| to| get| from| the| snow|,| but| the| fi|er|ce| was| open| and| d|ust|y|.|\n|"|He|y|,| not| hor|iz|ier|,| we|!"| he| shouted|.|\n|The| fox| spark|led| in| surprise',
    tints: "53125541233141130351532250055442003330155253453301115023",
  },
  {
    temperature: 1.4,
    tokens:
      " perfect| ho|l|id|ay| pat|y| plant| go|ld| and| the| brave| fox| asked| her| | That| fox| was| que|ach|ining| an| ex|a|ct| c|ross| to| the| garden| ear|ly| L|o|ver|.| L|o|ver| scared| bad| tell|ing| the| pick| flowers| bel|ow| and| suddenly|,| one| of| an",
    tints: "55200555524553535554555543054434545421300555125550252525",
  },
  {
    temperature: 1.6,
    tokens:
      ' comp|ut|ier| needed| some| shiny|,| important| ex|ap| to| w|ra|p| it|."| To| had| years| we|l|m|pper|ed| on| their| des|er|c|is|on| any|one| was| that| journey|ed| learned| how| very| wrong| things| now|.|\n|The| sc|rew| pulled| up| in| exciting| cou|l|r|anc',
    tints: "51554545553410155555535144443345135525455551115354555554",
  },
  {
    temperature: 1.8,
    tokens:
      " window| that| dry| fire| paint| far|,| door|ily| outside| the| l|ake|.| L|ide|n| found| fire| with| teddy|'|s| home| r|um|d|er|.| and| he| asked| his| his| big|n|am| spl|ink| com|m|urp|ey| |em|on|st|e| side| him|,\"|.|man| seemed| know|ra",
    tints: "54545555553551552555540555541533155535554545523455535555",
  },
  {
    temperature: 2,
    tokens:
      " daddy| co|b|bo| pre| Tommy|!| His| fe|et| l|ed|ure| pulled| bird| away|,| more| fur|ry|.|ible| mark| re|ave| Then|,| the| tail| wa|ke| back| as| the| re|y|very| fix| box|self|.| So| lea| moral| who| c|al|m| bee| ho|oth|y|y|y| door| inst",
    tints: "55455553524255542550355555235455525455551555552055535355",
  },
];
export const bars = [
  " big|0.289| small|0.0523| very|0.0457| little|0.0446| shiny|0.0339",
  " rock|0.224| co|0.143| box|0.120| key|0.0369| w|0.0303",
  "in|0.642|pper|0.228|zy|0.0235|ver|0.0206|at|0.0193",
  ".|0.533| on|0.150| in|0.0734| toy|0.0578| co|0.0285",
  " The|0.521| It|0.256| He|0.155| She|0.0282| Inside|0.0278",
  " was|0.640| wanted|0.185| thought|0.0455| picked|0.0175| decided|0.0148",
  " very|0.619| so|0.346| curious|0.0177| happy|0.00403| not|0.00268",
  " and|0.842|,|0.102|.|0.0268| so|0.0100| about|0.00815",
  " wanted|0.847| decided|0.0385| had|0.0200| asked|0.00865| curious|0.00772",
  " to|0.999| it|0.000602| the|0.000501| a|0.000124| her|0.0000333",
  " know|0.423| take|0.251| see|0.0746| find|0.0531| try|0.0474",
  " what|0.965| it|0.0159| how|0.00584| who|0.00452| the|0.00317",
  " was|0.903| it|0.0835| would|0.00375| had|0.00233| the|0.00206",
  " inside|0.954| in|0.0257| it|0.00516| on|0.00262| behind|0.00236",
  ".|0.930| the|0.0585| it|0.00451|,|0.00246| her|0.00184",
  " She|0.677| So|0.0915| The|0.0588|\n|0.0437| As|0.0410",
  " opened|0.263| asked|0.0901| went|0.0750| ran|0.0619| decided|0.0535",
  " closer|0.253| up|0.189| over|0.138| on|0.129| and|0.0730",
  " to|0.594| and|0.279| the|0.0934| on|0.00985| into|0.00763",
  " the|0.753| it|0.173| her|0.0285| take|0.0189| find|0.00574",
  " co|0.894| top|0.0196| fox|0.0187| box|0.0180| p|0.00491",
  " and|0.518| of|0.471|,|0.00867| to|0.00126| but|0.000237",
  " the|0.934| a|0.0247| her|0.0217| it|0.0175| and|0.000525",
  " co|0.614| hill|0.135| tree|0.0593| p|0.0223| ro|0.0207",
  "pper|0.998|in|0.000973|ank|0.000206|vered|0.000130|lly|0.000116",
  " and|0.951|,|0.0344|.|0.0113| to|0.000664| with|0.000658",
  " started|0.240| opened|0.154| said|0.0673| tried|0.0476| saw|0.0361",
  " out|0.563| for|0.274| inside|0.0944| into|0.0224| down|0.0206",
  " it|0.717| the|0.175| her|0.0658| a|0.0237| out|0.00512",
  ".|0.974| to|0.0109|,|0.00441| with|0.00272| for|0.00184",
  "\n|0.257| She|0.196| But|0.157| The|0.150| Suddenly|0.0693",
  'The|0.408|Suddenly|0.214|"|0.105|In|0.0874|When|0.0642',
  " fox|0.993| rabbit|0.00212| bear|0.00134| little|0.000940| co|0.000765",
  " was|0.284| opened|0.193| saw|0.0713| tried|0.0314| got|0.0304",
  " so|0.345| very|0.248| curious|0.120| scared|0.0891| surprised|0.0649",
  " excited|0.685| happy|0.175| curious|0.0636| surprised|0.0459| scared|0.0134",
  " that|0.473|.|0.164|,|0.125| and|0.116|!|0.0449",
  " decided|0.138| couldn|0.103| wanted|0.0995| jumped|0.0859| could|0.0682",
  "'|1.00|key|9.37e-7| see|1.68e-7| feel|1.23e-7| know|1.12e-7",
  "t|1.00|ted|0.00000166|it|3.22e-7|ve|3.13e-7|ad|1.11e-7",
  " believe|0.329| help|0.155| wait|0.132| see|0.0891| re|0.0521",
  " her|0.448| it|0.329| how|0.0946| what|0.0809| that|0.0122",
  " eyes|0.927| l|0.0671| ear|0.00263| head|0.000380| bo|0.000187",
  ".|0.794|!|0.164| and|0.0216|,|0.0104| at|0.00154",
  ' She|0.881| The|0.0223| It|0.0209| But|0.0188| "|0.0148',
  " ran|0.124| opened|0.0758| hopped|0.0680| wanted|0.0638| reached|0.0557",
  ',|0.645| to|0.317| "|0.0254|:|0.00367| in|0.00156',
  " herself|0.491| the|0.387| her|0.109| a|0.00397| be|0.00246",
  ',|0.928| "|0.0631|:|0.00568| to|0.00166| |0.000316',
  ' "|1.00|\n|0.000296| |0.000146| she|0.00000530| I|0.00000347',
  "I|0.328|Let|0.212|This|0.117|What|0.0736|Hello|0.0414",
  " is|0.421|'|0.191| are|0.149| do|0.109| can|0.0305",
  "s|1.00|ll|0.00000373|es|9.58e-7|am|1.05e-7|t|9.97e-8",
  " inside|0.508| that|0.298| in|0.0737| this|0.0380| wrong|0.0223",
  ' the|0.548|?"|0.284|,|0.0465|?|0.0290|!|0.0276',
  " co|0.973| myster|0.00405| top|0.00405| box|0.00345| lo|0.00139",
];
