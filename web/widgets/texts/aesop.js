// The Aesop for Children (1919), the first fables; in the public domain.
import { unpacked } from "./unpacked.js";

export default unpacked(`
The Frogs and the Ox|An Ox came down to a reedy pool to drink. As he splashed heavily into the water, he crushed a
young Frog into the mud. The old Frog soon missed the little one and asked his brothers and sisters what had become of
him. "A great big monster," said one of them, "stepped on little brother with one of his huge feet!" "Big, was he!"
said the old Frog, puffing herself up. "Was he as big as this?" "Oh, much bigger!" they cried. The Frog puffed up
still more. "He could not have been bigger than this," she said. But the little Frogs all declared that the monster
was much, much bigger and the old Frog kept puffing herself out more and more until, all at once, she burst.||Belling
the Cat|The Mice once called a meeting to decide on a plan to free themselves of their enemy, the Cat. At least they
wished to find some way of knowing when she was coming, so they might have time to run away. Indeed, something had to
be done, for they lived in such constant fear of her claws that they hardly dared stir from their dens by night or
day. Many plans were discussed, but none of them was thought good enough. At last a very young Mouse got up and said:
"I have a plan that seems very simple, but I know it will be successful. All we have to do is to hang a bell about the
Cat's neck. When we hear the bell ringing we will know immediately that our enemy is coming." All the Mice were much
surprised that they had not thought of such a plan before. But in the midst of the rejoicing over their good fortune,
an old Mouse arose and said: "I will say that the plan of the young Mouse is very good. But let me ask one question:
Who will bell the Cat?"||The Town Mouse and the Country Mouse|A Town Mouse once visited a relative who lived in the
country. For lunch the Country Mouse served wheat stalks, roots, and acorns, with a dash of cold water for drink. The
Town Mouse ate very sparingly, nibbling a little of this and a little of that, and by her manner making it very plain
that she ate the simple food only to be polite. After the meal the friends had a long talk, or rather the Town Mouse
talked about her life in the city while the Country Mouse listened. They then went to bed in a cozy nest in the
hedgerow and slept in quiet and comfort until morning. In her sleep the Country Mouse dreamed she was a Town Mouse
with all the luxuries and delights of city life that her friend had described for her. So the next day when the Town
Mouse asked the Country Mouse to go home with her to the city, she gladly said yes. When they reached the mansion in
which the Town Mouse lived, they found on the table in the dining room the leavings of a very fine banquet. There were
sweetmeats and jellies, pastries, delicious cheeses, indeed, the most tempting foods that a Mouse can imagine. But
just as the Country Mouse was about to nibble a dainty bit of pastry, she heard a Cat mew loudly and scratch at the
door. In great fear the Mice scurried to a hiding place, where they lay quite still for a long time, hardly daring to
breathe. When at last they ventured back to the feast, the door opened suddenly and in came the servants to clear the
table, followed by the House Dog. The Country Mouse stopped in the Town Mouse's den only long enough to pick up her
carpet bag and umbrella. "You may have luxuries and dainties that I have not," she said as she hurried away, "but I
prefer my plain food and simple life in the country with the peace and security that go with it."||The Fox and the
Grapes|A Fox one day spied a beautiful bunch of ripe grapes hanging from a vine trained along the branches of a tree.
The grapes seemed ready to burst with juice, and the Fox's mouth watered as he gazed longingly at them. The bunch hung
from a high branch, and the Fox had to jump for it. The first time he jumped he missed it by a long way. So he walked
off a short distance and took a running leap at it, only to fall short once more. Again and again he tried, but in
vain. Now he sat down and looked at the grapes in disgust. "What a fool I am," he said. "Here I am wearing myself out
to get a bunch of sour grapes that are not worth gaping for." And off he walked very, very scornfully.||The Wolf and
the Crane|A Wolf had been feasting too greedily, and a bone had stuck crosswise in his throat. He could get it neither
up nor down, and of course he could not eat a thing. Naturally that was an awful state of affairs for a greedy Wolf.
So away he hurried to the Crane. He was sure that she, with her long neck and bill, would easily be able to reach the
bone and pull it out. "I will reward you very handsomely," said the Wolf, "if you pull that bone out for me." The
Crane, as you can imagine, was very uneasy about putting her head in a Wolf's throat. But she was grasping in nature,
so she did what the Wolf asked her to do. When the Wolf felt that the bone was gone, he started to walk away. "But
what about my reward!" called the Crane anxiously. "What!" snarled the Wolf, whirling around. "Haven't you got it?
Isn't it enough that I let you take your head out of my mouth without snapping it off?"||The Lion and the Mouse|A Lion
lay asleep in the forest, his great head resting on his paws. A timid little Mouse came upon him unexpectedly, and in
her fright and haste to get away, ran across the Lion's nose. Roused from his nap, the Lion laid his huge paw angrily
on the tiny creature to kill her. "Spare me!" begged the poor Mouse. "Please let me go and some day I will surely
repay you." The Lion was much amused to think that a Mouse could ever help him. But he was generous and finally let
the Mouse go. Some days later, while stalking his prey in the forest, the Lion was caught in the toils of a hunter's
net. Unable to free himself, he filled the forest with his angry roaring. The Mouse knew the voice and quickly found
the Lion struggling in the net. Running to one of the great ropes that bound him, she gnawed it until it parted, and
soon the Lion was free. "You laughed when I said I would repay you," said the Mouse. "Now you see that even a Mouse
can help a Lion."||The Gnat and the Bull|A Gnat flew over the meadow with much buzzing for so small a creature and
settled on the tip of one of the horns of a Bull. After he had rested a short time, he made ready to fly away. But
before he left he begged the Bull's pardon for having used his horn for a resting place. "You must be very glad to
have me go now," he said. "It's all the same to me," replied the Bull. "I did not even know you were there."||The
Plane Tree|Two Travellers, walking in the noonday sun, sought the shade of a widespreading tree to rest. As they lay
looking up among the pleasant leaves, they saw that it was a Plane Tree. "How useless is the Plane!" said one of them.
"It bears no fruit whatever, and only serves to litter the ground with leaves." "Ungrateful creatures!" said a voice
from the Plane Tree. "You lie here in my cooling shade, and yet you say I am useless! Thus ungratefully, O Jupiter, do
men receive their blessings!"||The Owl and the Grasshopper|The Owl always takes her sleep during the day. Then after
sundown, when the rosy light fades from the sky and the shadows rise slowly through the wood, out she comes ruffling
and blinking from the old hollow tree. Now her weird "hoo-hoo-hoo-oo-oo" echoes through the quiet wood, and she begins
her hunt for the bugs and beetles, frogs and mice she likes so well to eat. Now there was a certain old Owl who had
become very cross and hard to please as she grew older, especially if anything disturbed her daily slumbers. One warm
summer afternoon as she dozed away in her den in the old oak tree, a Grasshopper nearby began a joyous but very raspy
song. Out popped the old Owl's head from the opening in the tree that served her both for door and for window. "Get
away from here, sir," she said to the Grasshopper. "Have you no manners? You should at least respect my age and leave
me to sleep in quiet!" But the Grasshopper answered saucily that he had as much right to his place in the sun as the
Owl had to her place in the old oak. Then he struck up a louder and still more rasping tune. The wise old Owl knew
quite well that it would do no good to argue with the Grasshopper, nor with anybody else for that matter. Besides, her
eyes were not sharp enough by day to permit her to punish the Grasshopper as he deserved. So she laid aside all hard
words and spoke very kindly to him. "Well sir," she said, "if I must stay awake, I am going to settle right down to
enjoy your singing. Now that I think of it, I have a wonderful wine here, sent me from Olympus, of which I am told
Apollo drinks before he sings to the high gods. Please come up and taste this delicious drink with me. I know it will
make you sing like Apollo himself." The foolish Grasshopper was taken in by the Owl's flattering words. Up he jumped
to the Owl's den, but as soon as he was near enough so the old Owl could see him clearly, she pounced upon him and ate
him up.||The Oak and the Reeds|A Giant Oak stood near a brook in which grew some slender Reeds. When the wind blew,
the great Oak stood proudly upright with its hundred arms uplifted to the sky. But the Reeds bowed low in the wind and
sang a sad and mournful song. "You have reason to complain," said the Oak. "The slightest breeze that ruffles the
surface of the water makes you bow your heads, while I, the mighty Oak, stand upright and firm before the howling
tempest." "Do not worry about us," replied the Reeds. "The winds do not harm us. We bow before them and so we do not
break. You, in all your pride and strength, have so far resisted their blows. But the end is coming." As the Reeds
spoke a great hurricane rushed out of the north. The Oak stood proudly and fought against the storm, while the
yielding Reeds bowed low. The wind redoubled in fury, and all at once the great tree fell, torn up by the roots, and
lay among the pitying Reeds.||The Crow and the Pitcher|In a spell of dry weather, when the Birds could find very
little to drink, a thirsty Crow found a pitcher with a little water in it. But the pitcher was high and had a narrow
neck, and no matter how he tried, the Crow could not reach the water. The poor thing felt as if he must die of thirst.
Then an idea came to him. Picking up some small pebbles, he dropped them into the pitcher one by one. With each pebble
the water rose a little higher until at last it was near enough so he could drink.||The Two Goats|Two Goats, frisking
gayly on the rocky steeps of a mountain valley, chanced to meet, one on each side of a deep chasm through which poured
a mighty mountain torrent. The trunk of a fallen tree formed the only means of crossing the chasm, and on this not
even two squirrels could have passed each other in safety. The narrow path would have made the bravest tremble. Not so
our Goats. Their pride would not permit either to stand aside for the other. One set her foot on the log. The other
did likewise. In the middle they met horn to horn. Neither would give way, and so they both fell, to be swept away by
the roaring torrent below.||The Wild Boar and the Fox|A Wild Boar was sharpening his tusks busily against the stump of
a tree, when a Fox happened by. Now the Fox was always looking for a chance to make fun of his neighbors. So he made a
great show of looking anxiously about, as if in fear of some hidden enemy. But the Boar kept right on with his work.
"Why are you doing that?" asked the Fox at last with a grin. "There isn't any danger that I can see." "True enough,"
replied the Boar, "but when danger does come there will not be time for such work as this. My weapons will have to be
ready for use then, or I shall suffer for it."||The Heron|A Heron was walking sedately along the bank of a stream, his
eyes on the clear water, and his long neck and pointed bill ready to snap up a likely morsel for his breakfast. The
clear water swarmed with fish, but Master Heron was hard to please that morning. "No small fry for me," he said. "Such
scanty fare is not fit for a Heron." Now a fine young Perch swam near. "No indeed," said the Heron. "I wouldn't even
trouble to open my beak for anything like that!" As the sun rose, the fish left the shallow water near the shore and
swam below into the cool depths toward the middle. The Heron saw no more fish, and very glad was he at last to
breakfast on a tiny Snail.||The Fox and the Stork|The Fox one day thought of a plan to amuse himself at the expense of
the Stork, at whose odd appearance he was always laughing. "You must come and dine with me today," he said to the
Stork, smiling to himself at the trick he was going to play. The Stork gladly accepted the invitation and arrived in
good time and with a very good appetite. For dinner the Fox served soup. But it was set out in a very shallow dish,
and all the Stork could do was to wet the very tip of his bill. Not a drop of soup could he get. But the Fox lapped it
up easily, and, to increase the disappointment of the Stork, made a great show of enjoyment. The hungry Stork was much
displeased at the trick, but he was a calm, even-tempered fellow and saw no good in flying into a rage. Instead, not
long afterward, he invited the Fox to dine with him in turn. The Fox arrived promptly at the time that had been set,
and the Stork served a fish dinner that had a very appetizing smell. But it was served in a tall jar with a very
narrow neck. The Stork could easily get at the food with his long bill, but all the Fox could do was to lick the
outside of the jar, and sniff at the delicious odor. And when the Fox lost his temper, the Stork said calmly:||The
Stag and His Reflection|A Stag, drinking from a crystal spring, saw himself mirrored in the clear water. He greatly
admired the graceful arch of his antlers, but he was very much ashamed of his spindling legs. "How can it be," he
sighed, "that I should be cursed with such legs when I have so magnificent a crown." At that moment he scented a
panther and in an instant was bounding away through the forest. But as he ran his wide-spreading antlers caught in the
branches of the trees, and soon the Panther overtook him. Then the Stag perceived that the legs of which he was so
ashamed would have saved him had it not been for the useless ornaments on his head.||The Cock and the Fox|One bright
evening as the sun was sinking on a glorious world a wise old Cock flew into a tree to roost. Before he composed
himself to rest, he flapped his wings three times and crowed loudly. But just as he was about to put his head under
his wing, his beady eyes caught a flash of red and a glimpse of a long pointed nose, and there just below him stood
Master Fox. "Have you heard the wonderful news?" cried the Fox in a very joyful and excited manner. "What news?" asked
the Cock very calmly. But he had a queer, fluttery feeling inside him, for, you know, he was very much afraid of the
Fox. "Your family and mine and all other animals have agreed to forget their differences and live in peace and
friendship from now on forever. Just think of it! I simply cannot wait to embrace you! Do come down, dear friend, and
let us celebrate the joyful event." "How grand!" said the Cock. "I certainly am delighted at the news." But he spoke
in an absent way, and stretching up on tiptoes, seemed to be looking at something afar off. "What is it you see?"
asked the Fox a little anxiously. "Why, it looks to me like a couple of Dogs coming this way. They must have heard the
good news and--" But the Fox did not wait to hear more. Off he started on a run. "Wait," cried the Cock. "Why do you
run? The Dogs are friends of yours now!" "Yes," answered the Fox. "But they might not have heard the news. Besides, I
have a very important errand that I had almost forgotten about." The Cock smiled as he buried his head in his feathers
and went to sleep, for he had succeeded in outwitting a very crafty enemy.||The Fox and the Goat|A Fox fell into a
well, and though it was not very deep, he found that he could not get out again. After he had been in the well a long
time, a thirsty Goat came by. The Goat thought the Fox had gone down to drink, and so he asked if the water was good.
"The finest in the whole country," said the crafty Fox, "jump in and try it. There is more than enough for both of
us." The thirsty Goat immediately jumped in and began to drink. The Fox just as quickly jumped on the Goat's back and
leaped from the tip of the Goat's horns out of the well The foolish Goat now saw what a plight he had got into, and
begged the Fox to help him out. But the Fox was already on his way to the woods "If you had as much sense as you have
beard, old fellow," he said as he ran, "you would have been more cautious about finding a way to get out again before
you jumped in."||The Fox and the Leopard|A Fox and a Leopard, resting lazily after a generous dinner, amused
themselves by disputing about their good looks. The Leopard was very proud of his glossy, spotted coat and made
disdainful remarks about the Fox, whose appearance he declared was quite ordinary. The Fox prided himself on his fine
bushy tail with its tip of white, but he was wise enough to see that he could not rival the Leopard in looks. Still he
kept up a flow of sarcastic talk, just to exercise his wits and to have the fun of disputing. The Leopard was about to
lose his temper when the Fox got up, yawning lazily. "You may have a very smart coat," he said, "but you would be a
great deal better off if you had a little more smartness inside your head and less on your ribs, the way I am. That's
what I call real beauty."||The Frog and the Mouse|A young Mouse in search of adventure was running along the bank of a
pond where lived a Frog. When the Frog saw the Mouse, he swam to the bank and croaked: "Won't you pay me a visit? I
can promise you a good time if you do." The Mouse did not need much coaxing, for he was very anxious to see the world
and everything in it. But though he could swim a little, he did not dare risk going into the pond without some help.
The Frog had a plan. He tied the Mouse's leg to his own with a tough reed. Then into the pond he jumped, dragging his
foolish companion with him. The Mouse soon had enough of it and wanted to return to shore; but the treacherous Frog
had other plans. He pulled the Mouse down under the water and drowned him. But before he could untie the reed that
bound him to the dead Mouse, a Hawk came sailing over the pond. Seeing the body of the Mouse floating on the water,
the Hawk swooped down, seized the Mouse and carried it off, with the Frog dangling from its leg. Thus at one swoop he
had caught both meat and fish for his dinner.||The Wolf in Sheep's Clothing|A certain Wolf could not get enough to eat
because of the watchfulness of the Shepherds. But one night he found a sheep skin that had been cast aside and
forgotten. The next day, dressed in the skin, the Wolf strolled into the pasture with the Sheep. Soon a little Lamb
was following him about and was quickly led away to slaughter. That evening the Wolf entered the fold with the flock.
But it happened that the Shepherd took a fancy for mutton broth that very evening, and, picking up a knife, went to
the fold. There the first he laid hands on and killed was the Wolf.||The Eagle and the Beetle|A Beetle once begged the
Eagle to spare a Hare which had run to her for protection. But the Eagle pounced upon her prey, the sweep of her great
wings tumbling the Beetle a dozen feet away. Furious at the disrespect shown her, the Beetle flew to the Eagle's nest
and rolled out the eggs. Not one did she spare. The Eagle's grief and anger knew no bounds, but who had done the cruel
deed she did not know. Next year the Eagle built her nest far up on a mountain crag; but the Beetle found it and again
destroyed the eggs. In despair the Eagle now implored great Jupiter to let her place her eggs in his lap. There none
would dare harm them. But the Beetle buzzed about Jupiter's head, and made him rise to drive her away; and the eggs
rolled from his lap. Now the Beetle told the reason for her action, and Jupiter had to acknowledge the justice of her
cause. And they say that ever after, while the Eagle's eggs lie in the nest in spring, the Beetle still sleeps in the
ground. For so Jupiter commanded.||The Mother and the Wolf|Early one morning a hungry Wolf was prowling around a
cottage at the edge of a village, when he heard a child crying in the house. Then he heard the Mother's voice say:
"Hush, child, hush! Stop your crying, or I will give you to the Wolf!" Surprised but delighted at the prospect of so
delicious a meal, the Wolf settled down under an open window, expecting every moment to have the child handed out to
him. But though the little one continued to fret, the Wolf waited all day in vain. Then, toward nightfall, he heard
the Mother's voice again as she sat down near the window to sing and rock her baby to sleep. "There, child, there! The
Wolf shall not get you. No, no! Daddy is watching and Daddy will kill him if he should come near!" Just then the
Father came within sight of the home, and the Wolf was barely able to save himself from the Dogs by a clever bit of
running.||The Hare and the Tortoise|A Hare was making fun of the Tortoise one day for being so slow. "Do you ever get
anywhere?" he asked with a mocking laugh. "Yes," replied the Tortoise, "and I get there sooner than you think. I'll
run you a race and prove it." The Hare was much amused at the idea of running a race with the Tortoise, but for the
fun of the thing he agreed. So the Fox, who had consented to act as judge, marked the distance and started the runners
off. The Hare was soon far out of sight, and to make the Tortoise feel very deeply how ridiculous it was for him to
try a race with a Hare, he lay down beside the course to take a nap until the Tortoise should catch up. The Tortoise
meanwhile kept going slowly but steadily, and, after a time, passed the place where the Hare was sleeping. But the
Hare slept on very peacefully; and when at last he did wake up, the Tortoise was near the goal. The Hare now ran his
swiftest, but he could not overtake the Tortoise in time.||The Dog and His Reflection|A Dog, to whom the butcher had
thrown a bone, was hurrying home with his prize as fast as he could go. As he crossed a narrow footbridge, he happened
to look down and saw himself reflected in the quiet water as if in a mirror. But the greedy Dog thought he saw a real
Dog carrying a bone much bigger than his own. If he had stopped to think he would have known better. But instead of
thinking, he dropped his bone and sprang at the Dog in the river, only to find himself swimming for dear life to reach
the shore. At last he managed to scramble out, and as he stood sadly thinking about the good bone he had lost, he
realized what a stupid Dog he had been.||The Fox and the Crow|One bright morning as the Fox was following his sharp
nose through the wood in search of a bite to eat, he saw a Crow on the limb of a tree overhead. This was by no means
the first Crow the Fox had ever seen. What caught his attention this time and made him stop for a second look, was
that the lucky Crow held a bit of cheese in her beak. "No need to search any farther," thought sly Master Fox. "Here
is a dainty bite for my breakfast." Up he trotted to the foot of the tree in which the Crow was sitting, and looking
up admiringly, he cried, "Good-morning, beautiful creature!" The Crow, her head cocked on one side, watched the Fox
suspiciously. But she kept her beak tightly closed on the cheese and did not return his greeting. "What a charming
creature she is!" said the Fox. "How her feathers shine! What a beautiful form and what splendid wings! Such a
wonderful Bird should have a very lovely voice, since everything else about her is so perfect. Could she sing just one
song, I know I should hail her Queen of Birds." Listening to these flattering words, the Crow forgot all her
suspicion, and also her breakfast. She wanted very much to be called Queen of Birds. So she opened her beak wide to
utter her loudest caw, and down fell the cheese straight into the Fox's open mouth. "Thank you," said Master Fox
sweetly, as he walked off. "Though it is cracked, you have a voice sure enough. But where are your wits?"||The Ant and
the Dove|A Dove saw an Ant fall into a brook. The Ant struggled in vain to reach the bank, and in pity, the Dove
dropped a blade of straw close beside it. Clinging to the straw like a shipwrecked sailor to a broken spar, the Ant
floated safely to shore. Soon after, the Ant saw a man getting ready to kill the Dove with a stone. But just as he
cast the stone, the Ant stung him in the heel, so that the pain made him miss his aim, and the startled Dove flew to
safety in a distant wood.||The Man and the Satyr|A long time ago a Man met a Satyr in the forest and succeeded in
making friends with him. The two soon became the best of comrades, living together in the Man's hut. But one cold
winter evening, as they were walking homeward, the Satyr saw the Man blow on his fingers. "Why do you do that?" asked
the Satyr. "To warm my hands," the Man replied. When they reached home the Man prepared two bowls of porridge. These
he placed steaming hot on the table, and the comrades sat down very cheerfully to enjoy the meal. But much to the
Satyr's surprise, the Man began to blow into his bowl of porridge. "Why do you do that?" he asked. "To cool my
porridge," replied the Man. The Satyr sprang hurriedly to his feet and made for the door. "Goodby," he said, "I've
seen enough. A fellow that blows hot and cold in the same breath cannot be friends with me!"||The Hare and His
Ears|The Lion had been badly hurt by the horns of a Goat, which he was eating. He was very angry to think that any
animal that he chose for a meal, should be so brazen as to wear such dangerous things as horns to scratch him while he
ate. So he commanded that all animals with horns should leave his domains within twenty-four hours. The command struck
terror among the beasts. All those who were so unfortunate as to have horns, began to pack up and move out. Even the
Hare, who, as you know, has no horns and so had nothing to fear, passed a very restless night, dreaming awful dreams
about the fearful Lion. And when he came out of the warren in the early morning sunshine, and there saw the shadow
cast by his long and pointed ears, a terrible fright seized him. "Goodby, neighbor Cricket," he called. "I'm off. He
will certainly make out that my ears are horns, no matter what I say."||The Fisherman and the Little Fish|A poor
Fisherman, who lived on the fish he caught, had bad luck one day and caught nothing but a very small fry. The
Fisherman was about to put it in his basket when the little Fish said: "Please spare me, Mr. Fisherman! I am so small
it is not worth while to carry me home. When I am bigger, I shall make you a much better meal." But the Fisherman
quickly put the fish into his basket. "How foolish I should be," he said, "to throw you back. However small you may
be, you are better than nothing at all."||The Wolf and the Kid|There was once a little Kid whose growing horns made
him think he was a grown-up Billy Goat and able to take care of himself. So one evening when the flock started home
from the pasture and his mother called, the Kid paid no heed and kept right on nibbling the tender grass. A little
later when he lifted his head, the flock was gone. He was all alone. The sun was sinking. Long shadows came creeping
over the ground. A chilly little wind came creeping with them making scary noises in the grass. The Kid shivered as he
thought of the terrible Wolf. Then he started wildly over the field, bleating for his mother. But not half-way, near a
clump of trees, there was the Wolf! The Kid knew there was little hope for him. "Please, Mr. Wolf," he said trembling,
"I know you are going to eat me. But first please pipe me a tune, for I want to dance and be merry as long as I can."
The Wolf liked the idea of a little music before eating, so he struck up a merry tune and the Kid leaped and frisked
gaily. Meanwhile, the flock was moving slowly homeward. In the still evening air the Wolf's piping carried far. The
Shepherd Dogs pricked up their ears. They recognized the song the Wolf sings before a feast, and in a moment they were
racing back to the pasture. The Wolf's song ended suddenly, and as he ran, with the Dogs at his heels, he called
himself a fool for turning piper to please a Kid, when he should have stuck to his butcher's trade.||The Tortoise and
the Ducks|The Tortoise, you know, carries his house on his back. No matter how hard he tries, he cannot leave home.
They say that Jupiter punished him so, because he was such a lazy stay-at-home that he would not go to Jupiter's
wedding, even when especially invited. After many years, Tortoise began to wish he had gone to that wedding. When he
saw how gaily the birds flew about and how the Hare and the Chipmunk and all the other animals ran nimbly by, always
eager to see everything there was to be seen, the Tortoise felt very sad and discontented. He wanted to see the world
too, and there he was with a house on his back and little short legs that could hardly drag him along. One day he met
a pair of Ducks and told them all his trouble. "We can help you to see the world," said the Ducks. "Take hold of this
stick with your teeth and we will carry you far up in the air where you can see the whole countryside. But keep quiet
or you will be sorry." The Tortoise was very glad indeed. He seized the stick firmly with his teeth, the two Ducks
took hold of it one at each end, and away they sailed up toward the clouds. Just then a Crow flew by. He was very much
astonished at the strange sight and cried: "This must surely be the King of Tortoises!" "Why certainly--" began the
Tortoise. But as he opened his mouth to say these foolish words he lost his hold on the stick, and down he fell to the
ground, where he was dashed to pieces on a rock.||The Young Crab and His Mother|"Why in the world do you walk sideways
like that?" said a Mother Crab to her son. "You should always walk straight forward with your toes turned out." "Show
me how to walk, mother dear," answered the little Crab obediently, "I want to learn." So the old Crab tried and tried
to walk straight forward. But she could walk sideways only, like her son. And when she wanted to turn her toes out she
tripped and fell on her nose.||The Dog, the Cock, and the Fox|A Dog and a Cock, who were the best of friends, wished
very much to see something of the world. So they decided to leave the farmyard and to set out into the world along the
road that led to the woods. The two comrades traveled along in the very best of spirits and without meeting any
adventure to speak of. At nightfall the Cock, looking for a place to roost, as was his custom, spied nearby a hollow
tree that he thought would do very nicely for a night's lodging. The Dog could creep inside and the Cock would fly up
on one of the branches. So said, so done, and both slept very comfortably. With the first glimmer of dawn the Cock
awoke. For the moment he forgot just where he was. He thought he was still in the farmyard where it had been his duty
to arouse the household at daybreak. So standing on tip-toes he flapped his wings and crowed lustily. But instead of
awakening the farmer, he awakened a Fox not far off in the wood. The Fox immediately had rosy visions of a very
delicious breakfast. Hurrying to the tree where the Cock was roosting, he said very politely: "A hearty welcome to our
woods, honored sir. I cannot tell you how glad I am to see you here. I am quite sure we shall become the closest of
friends." "I feel highly flattered, kind sir," replied the Cock slyly. "If you will please go around to the door of my
house at the foot of the tree, my porter will let you in." The hungry but unsuspecting Fox, went around the tree as he
was told, and in a twinkling the Dog had seized him.||The Eagle and the Jackdaw|An Eagle, swooping down on powerful
wings, seized a lamb in her talons and made off with it to her nest. A Jackdaw saw the deed, and his silly head was
filled with the idea that he was big and strong enough to do as the Eagle had done. So with much rustling of feathers
and a fierce air, he came down swiftly on the back of a large Ram. But when he tried to rise again he found that he
could not get away, for his claws were tangled in the wool. And so far was he from carrying away the Ram, that the Ram
hardly noticed he was there. The Shepherd saw the fluttering Jackdaw and at once guessed what had happened. Running
up, he caught the bird and clipped its wings. That evening he gave the Jackdaw to his children. "What a funny bird
this is!" they said laughing, "what do you call it, father?" "That is a Jackdaw, my children. But if you should ask
him, he would say he is an Eagle."||The Boy and the Filberts|A Boy was given permission to put his hand into a pitcher
to get some filberts. But he took such a great fistful that he could not draw his hand out again. There he stood,
unwilling to give up a single filbert and yet unable to get them all out at once. Vexed and disappointed he began to
cry. "My boy," said his mother, "be satisfied with half the nuts you have taken and you will easily get your hand out.
Then perhaps you may have some more filberts some other time."||Hercules and the Wagoner|A Farmer was driving his
wagon along a miry country road after a heavy rain. The horses could hardly drag the load through the deep mud, and at
last came to a standstill when one of the wheels sank to the hub in a rut. The farmer climbed down from his seat and
stood beside the wagon looking at it but without making the least effort to get it out of the rut. All he did was to
curse his bad luck and call loudly on Hercules to come to his aid. Then, it is said, Hercules really did appear,
saying: "Put your shoulder to the wheel, man, and urge on your horses. Do you think you can move the wagon by simply
looking at it and whining about it? Hercules will not help unless you make some effort to help yourself." And when the
farmer put his shoulder to the wheel and urged on the horses, the wagon moved very readily, and soon the Farmer was
riding along in great content and with a good lesson learned.||The Kid and the Wolf|"A frisky young Kid had been left
by the herdsman on the thatched roof of a sheep shelter to keep him out of harm's way. The Kid was browsing near the
edge of the roof, when he spied a Wolf and began to jeer at him, making faces and abusing him to his heart's content.
"I hear you," said the Wolf, "and I haven't the least grudge against you for what you say or do. When you are up there
it is the roof that's talking, not you."||The Bundle of Sticks|A certain Father had a family of Sons, who were forever
quarreling among themselves. No words he could say did the least good, so he cast about in his mind for some very
striking example that should make them see that discord would lead them to misfortune. One day when the quarreling had
been much more violent than usual and each of the Sons was moping in a surly manner, he asked one of them to bring him
a bundle of sticks. Then handing the bundle to each of his Sons in turn he told them to try to break it. But although
each one tried his best, none was able to do so. The Father then untied the bundle and gave the sticks to his Sons to
break one by one. This they did very easily. "My Sons," said the Father, "do you not see how certain it is that if you
agree with each other and help each other, it will be impossible for your enemies to injure you? But if you are
divided among yourselves, you will be no stronger than a single stick in that bundle."||The Ass and His Driver|An Ass
was being driven along a road leading down the mountain side, when he suddenly took it into his silly head to choose
his own path. He could see his stall at the foot of the mountain, and to him the quickest way down seemed to be over
the edge of the nearest cliff. Just as he was about to leap over, his master caught him by the tail and tried to pull
him back, but the stubborn Ass would not yield and pulled with all his might. "Very well," said his master, "go your
way, you willful beast, and see where it leads you." With that he let go, and the foolish Ass tumbled head over heels
down the mountain side.||The Oxen and the Wheels|A pair of Oxen were drawing a heavily loaded wagon along a miry
country road. They had to use all their strength to pull the wagon, but they did not complain. The Wheels of the wagon
were of a different sort. Though the task they had to do was very light compared with that of the Oxen, they creaked
and groaned at every turn. The poor Oxen, pulling with all their might to draw the wagon through the deep mud, had
their ears filled with the loud complaining of the Wheels. And this, you may well know, made their work so much the
harder to endure. "Silence!" the Oxen cried at last, out of patience. "What have you Wheels to complain about so
loudly? We are drawing all the weight, not you, and we are keeping still about it besides."||The Shepherd Boy and the
Wolf|A Shepherd Boy tended his master's Sheep near a dark forest not far from the village. Soon he found life in the
pasture very dull. All he could do to amuse himself was to talk to his dog or play on his shepherd's pipe. One day as
he sat watching the Sheep and the quiet forest, and thinking what he would do should he see a Wolf, he thought of a
plan to amuse himself. His Master had told him to call for help should a Wolf attack the flock, and the Villagers
would drive it away. So now, though he had not seen anything that even looked like a Wolf, he ran toward the village
shouting at the top of his voice, "Wolf! Wolf!" As he expected, the Villagers who heard the cry dropped their work and
ran in great excitement to the pasture. But when they got there they found the Boy doubled up with laughter at the
trick he had played on them. A few days later the Shepherd Boy again shouted, "Wolf! Wolf!" Again the Villagers ran to
help him, only to be laughed at again. Then one evening as the sun was setting behind the forest and the shadows were
creeping out over the pasture, a Wolf really did spring from the underbrush and fall upon the Sheep. In terror the Boy
ran toward the village shouting "Wolf! Wolf!" But though the Villagers heard the cry, they did not run to help him as
they had before. "He cannot fool us again," they said. The Wolf killed a great many of the Boy's sheep and then
slipped away into the forest.||The Farmer and the Stork|A Stork of a very simple and trusting nature had been asked by
a gay party of Cranes to visit a field that had been newly planted. But the party ended dismally with all the birds
entangled in the meshes of the Farmer's net. The Stork begged the Farmer to spare him. "Please let me go," he pleaded.
"I belong to the Stork family who you know are honest and birds of good character. Besides, I did not know the Cranes
were going to steal." "You may be a very good bird," answered the Farmer, "but I caught you with the thieving Cranes
and you will have to share the same punishment with them."||The Sheep and the Pig|One day a shepherd discovered a fat
Pig in the meadow where his Sheep were pastured. He very quickly captured the porker, which squealed at the top of its
voice the moment the Shepherd laid his hands on it. You would have thought, to hear the loud squealing, that the Pig
was being cruelly hurt. But in spite of its squeals and struggles to escape, the Shepherd tucked his prize under his
arm and started off to the butcher's in the market place. The Sheep in the pasture were much astonished and amused at
the Pig's behavior, and followed the Shepherd and his charge to the pasture gate. "What makes you squeal like that?"
asked one of the Sheep. "The Shepherd often catches and carries off one of us. But we should feel very much ashamed to
make such a terrible fuss about it like you do." "That is all very well," replied the Pig, with a squeal and a frantic
kick. "When he catches you he is only after your wool. But he wants my bacon! gree-ee-ee!"||The Travelers and the
Purse|Two men were traveling in company along the road when one of them picked up a well-filled purse. "How lucky I
am!" he said. "I have found a purse. Judging by its weight it must be full of gold." "Do not say 'I have found a
purse,'" said his companion. "Say rather 'we have found a purse' and 'how lucky we are.' Travelers ought to share
alike the fortunes or misfortunes of the road." "No, no," replied the other angrily. "I found it and I am going to
keep it." Just then they heard a shout of "Stop, thief!" and looking around, saw a mob of people armed with clubs
coming down the road. The man who had found the purse fell into a panic. "We are lost if they find the purse on us,"
he cried. "No, no," replied the other, "You would not say 'we' before, so now stick to your 'I'. Say 'I am
lost.'"||The Lion and the Ass|One day as the Lion walked proudly down a forest aisle, and the animals respectfully
made way for him, an Ass brayed a scornful remark as he passed. The Lion felt a flash of anger. But when he turned his
head and saw who had spoken, he walked quietly on. He would not honor the fool with even so much as a stroke of his
claws.||The Frogs Who Wished for a King|The Frogs were tired of governing themselves. They had so much freedom that it
had spoiled them, and they did nothing but sit around croaking in a bored manner and wishing for a government that
could entertain them with the pomp and display of royalty, and rule them in a way to make them know they were being
ruled. No milk and water government for them, they declared. So they sent a petition to Jupiter asking for a king.
Jupiter saw what simple and foolish creatures they were, but to keep them quiet and make them think they had a king he
threw down a huge log, which fell into the water with a great splash. The Frogs hid themselves among the reeds and
grasses, thinking the new king to be some fearful giant. But they soon discovered how tame and peaceable King Log was.
In a short time the younger Frogs were using him for a diving platform, while the older Frogs made him a meeting
place, where they complained loudly to Jupiter about the government. To teach the Frogs a lesson the ruler of the gods
now sent a Crane to be king of Frogland. The Crane proved to be a very different sort of king from old King Log. He
gobbled up the poor Frogs right and left and they soon saw what fools they had been. In mournful croaks they begged
Jupiter to take away the cruel tyrant before they should all be destroyed. "How now!" cried Jupiter "Are you not yet
content? You have what you asked for and so you have only yourselves to blame for your misfortunes."||The Wolf and His
Shadow|A Wolf left his lair one evening in fine spirits and an excellent appetite. As he ran, the setting sun cast his
shadow far out on the ground, and it looked as if the wolf were a hundred times bigger than he really was. "Why,"
exclaimed the Wolf proudly, "see how big I am! Fancy me running away from a puny Lion! I'll show him who is fit to be
king, he or I." Just then an immense shadow blotted him out entirely, and the next instant a Lion struck him down with
a single blow.||The Rat and the Elephant|A Rat was traveling along the King's highway. He was a very proud Rat,
considering his small size and the bad reputation all Rats have. As Mr. Rat walked along--he kept mostly to the
ditch--he noticed a great commotion up the road, and soon a grand procession came in view. It was the King and his
retinue. The King rode on a huge Elephant adorned with the most gorgeous trappings. With the King in his luxurious
howdah were the royal Dog and Cat. A great crowd of people followed the procession. They were so taken up with
admiration of the Elephant, that the Rat was not noticed. His pride was hurt. "What fools!" he cried. "Look at me, and
you will soon forget that clumsy Elephant! Is it his great size that makes your eyes pop out? Or is it his wrinkled
hide? Why, I have eyes and ears and as many legs as he! I am of just as much importance, and"-- But just then the
royal Cat spied him, and the next instant, the Rat knew he was not quite so important as an Elephant.||The Boys and
the Frogs|Some Boys were playing one day at the edge of a pond in which lived a family of Frogs. The Boys amused
themselves by throwing stones into the pond so as to make them skip on top of the water. The stones were flying thick
and fast and the Boys were enjoying themselves very much; but the poor Frogs in the pond were trembling with fear. At
last one of the Frogs, the oldest and bravest, put his head out of the water, and said, "Oh, please, dear children,
stop your cruel play! Though it may be fun for you, it means death to us!"||The Ants and the Grasshopper|One bright
day in late autumn a family of Ants were bustling about in the warm sunshine, drying out the grain they had stored up
during the summer, when a starving Grasshopper, his fiddle under his arm, came up and humbly begged for a bite to eat.
"What!" cried the Ants in surprise, "haven't you stored anything away for the winter? What in the world were you doing
all last summer?" "I didn't have time to store up any food," whined the Grasshopper; "I was so busy making music that
before I knew it the summer was gone." The Ants shrugged their shoulders in disgust. "Making music, were you?" they
cried. "Very well; now dance!" And they turned their backs on the Grasshopper and went on with their work.||The Ass
Carrying the Image|A sacred Image was being carried to the temple. It was mounted on an Ass adorned with garlands and
gorgeous trappings, and a grand procession of priests and pages followed it through the streets. As the Ass walked
along, the people bowed their heads reverently or fell on their knees, and the Ass thought the honor was being paid to
himself. With his head full of this foolish idea, he became so puffed up with pride and vanity that he halted and
started to bray loudly. But in the midst of his song, his driver guessed what the Ass had got into his head, and began
to beat him unmercifully with a stick. "Go along with you, you stupid Ass," he cried. "The honor is not meant for you
but for the image you are carrying."||A Raven and a Swan|A Raven, which you know is black as coal, was envious of the
Swan, because her feathers were as white as the purest snow. The foolish bird got the idea that if he lived like the
Swan, swimming and diving all day long and eating the weeds and plants that grow in the water, his feathers would turn
white like the Swan's. So he left his home in the woods and fields and flew down to live on the lakes and in the
marshes. But though he washed and washed all day long, almost drowning himself at it, his feathers remained as black
as ever. And as the water weeds he ate did not agree with him, he got thinner and thinner, and at last he died.|`);
