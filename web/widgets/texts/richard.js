// William Shakespeare, Richard III (1597), the beginning; in the public domain.
import { unpacked } from "./unpacked.js";

export default unpacked(`
GLOUCESTER:|Now is the winter of our discontent|Made glorious summer by this sun of York;|And all the clouds that
lour'd upon our house|In the deep bosom of the ocean buried.|Now are our brows bound with victorious wreaths;|Our
bruised arms hung up for monuments;|Our stern alarums changed to merry meetings,|Our dreadful marches to delightful
measures.|Grim-visaged war hath smooth'd his wrinkled front;|And now, instead of mounting barded steeds|To fright the
souls of fearful adversaries,|He capers nimbly in a lady's chamber|To the lascivious pleasing of a lute.|But I, that
am not shaped for sportive tricks,|Nor made to court an amorous looking-glass;|I, that am rudely stamp'd, and want
love's majesty|To strut before a wanton ambling nymph;|I, that am curtail'd of this fair proportion,|Cheated of
feature by dissembling nature,|Deformed, unfinish'd, sent before my time|Into this breathing world, scarce half made
up,|And that so lamely and unfashionable|That dogs bark at me as I halt by them;|Why, I, in this weak piping time of
peace,|Have no delight to pass away the time,|Unless to spy my shadow in the sun|And descant on mine own
deformity:|And therefore, since I cannot prove a lover,|To entertain these fair well-spoken days,|I am determined to
prove a villain|And hate the idle pleasures of these days.|Plots have I laid, inductions dangerous,|By drunken
prophecies, libels and dreams,|To set my brother Clarence and the king|In deadly hate the one against the other:|And
if King Edward be as true and just|As I am subtle, false and treacherous,|This day should Clarence closely be mew'd
up,|About a prophecy, which says that 'G'|Of Edward's heirs the murderer shall be.|Dive, thoughts, down to my soul:
here|Clarence comes.|Brother, good day; what means this armed guard|That waits upon your grace?||CLARENCE:|His
majesty|Tendering my person's safety, hath appointed|This conduct to convey me to the Tower.||GLOUCESTER:|Upon what
cause?||CLARENCE:|Because my name is George.||GLOUCESTER:|Alack, my lord, that fault is none of yours;|He should, for
that, commit your godfathers:|O, belike his majesty hath some intent|That you shall be new-christen'd in the
Tower.|But what's the matter, Clarence?  may I know?||CLARENCE:|Yea, Richard, when I know; for I protest|As yet I do
not: but, as I can learn,|He hearkens after prophecies and dreams;|And from the cross-row plucks the letter G.|And
says a wizard told him that by G|His issue disinherited should be;|And, for my name of George begins with G,|It
follows in his thought that I am he.|These, as I learn, and such like toys as these|Have moved his highness to commit
me now.||GLOUCESTER:|Why, this it is, when men are ruled by women:|'Tis not the king that sends you to the Tower:|My
Lady Grey his wife, Clarence, 'tis she|That tempers him to this extremity.|Was it not she and that good man of
worship,|Anthony Woodville, her brother there,|That made him send Lord Hastings to the Tower,|From whence this present
day he is deliver'd?|We are not safe, Clarence; we are not safe.||CLARENCE:|By heaven, I think there's no man is
secure|But the queen's kindred and night-walking heralds|That trudge betwixt the king and Mistress Shore.|Heard ye not
what an humble suppliant|Lord hastings was to her for his delivery?||GLOUCESTER:|Humbly complaining to her deity|Got
my lord chamberlain his liberty.|I'll tell you what; I think it is our way,|If we will keep in favour with the
king,|To be her men and wear her livery:|The jealous o'erworn widow and herself,|Since that our brother dubb'd them
gentlewomen.|Are mighty gossips in this monarchy.||BRAKENBURY:|I beseech your graces both to pardon me;|His majesty
hath straitly given in charge|That no man shall have private conference,|Of what degree soever, with his
brother.||GLOUCESTER:|Even so; an't please your worship, Brakenbury,|You may partake of any thing we say:|We speak no
treason, man: we say the king|Is wise and virtuous, and his noble queen|Well struck in years, fair, and not
jealous;|We say that Shore's wife hath a pretty foot,|A cherry lip, a bonny eye, a passing pleasing tongue;|And that
the queen's kindred are made gentle-folks:|How say you sir? Can you deny all this?||BRAKENBURY:|With this, my lord,
myself have nought to do.||GLOUCESTER:|Naught to do with mistress Shore! I tell thee, fellow,|He that doth naught with
her, excepting one,|Were best he do it secretly, alone.||BRAKENBURY:|What one, my lord?||GLOUCESTER:|Her husband,
knave: wouldst thou betray me?||BRAKENBURY:|I beseech your grace to pardon me, and withal|Forbear your conference with
the noble duke.||CLARENCE:|We know thy charge, Brakenbury, and will obey.||GLOUCESTER:|We are the queen's abjects, and
must obey.|Brother, farewell: I will unto the king;|And whatsoever you will employ me in,|Were it to call King
Edward's widow sister,|I will perform it to enfranchise you.|Meantime, this deep disgrace in brotherhood|Touches me
deeper than you can imagine.||CLARENCE:|I know it pleaseth neither of us well.||GLOUCESTER:|Well, your imprisonment
shall not be long;|Meantime, have patience.||CLARENCE:|I must perforce. Farewell.||GLOUCESTER:|Go, tread the path that
thou shalt ne'er return.|Simple, plain Clarence! I do love thee so,|That I will shortly send thy soul to heaven,|If
heaven will take the present at our hands.|But who comes here? the new-deliver'd Hastings?||HASTINGS:|Good time of day
unto my gracious lord!||GLOUCESTER:|As much unto my good lord chamberlain!|Well are you welcome to the open air.|How
hath your lordship brook'd imprisonment?||HASTINGS:|With patience, noble lord, as prisoners must:|But I shall live, my
lord, to give them thanks|That were the cause of my imprisonment.||GLOUCESTER:|No doubt, no doubt; and so shall
Clarence too;|For they that were your enemies are his,|And have prevail'd as much on him as you.||HASTINGS:|More pity
that the eagle should be mew'd,|While kites and buzzards prey at liberty.||GLOUCESTER:|What news abroad?||HASTINGS:|No
news so bad abroad as this at home;|The King is sickly, weak and melancholy,|And his physicians fear him
mightily.||GLOUCESTER:|Now, by Saint Paul, this news is bad indeed.|O, he hath kept an evil diet long,|And overmuch
consumed his royal person:|'Tis very grievous to be thought upon.|What, is he in his bed?||HASTINGS:|He
is.||GLOUCESTER:|Go you before, and I will follow you.|He cannot live, I hope; and must not die|Till George be pack'd
with post-horse up to heaven.|I'll in, to urge his hatred more to Clarence,|With lies well steel'd with weighty
arguments;|And, if I fall not in my deep intent,|Clarence hath not another day to live:|Which done, God take King
Edward to his mercy,|And leave the world for me to bustle in!|For then I'll marry Warwick's youngest daughter.|What
though I kill'd her husband and her father?|The readiest way to make the wench amends|Is to become her husband and her
father:|The which will I; not all so much for love|As for another secret close intent,|By marrying her which I must
reach unto.|But yet I run before my horse to market:|Clarence still breathes; Edward still lives and reigns:|When they
are gone, then must I count my gains.||LADY ANNE:|Set down, set down your honourable load,|If honour may be shrouded
in a hearse,|Whilst I awhile obsequiously lament|The untimely fall of virtuous Lancaster.|Poor key-cold figure of a
holy king!|Pale ashes of the house of Lancaster!|Thou bloodless remnant of that royal blood!|Be it lawful that I
invocate thy ghost,|To hear the lamentations of Poor Anne,|Wife to thy Edward, to thy slaughter'd son,|Stabb'd by the
selfsame hand that made these wounds!|Lo, in these windows that let forth thy life,|I pour the helpless balm of my
poor eyes.|Cursed be the hand that made these fatal holes!|Cursed be the heart that had the heart to do it!|Cursed the
blood that let this blood from hence!|More direful hap betide that hated wretch,|That makes us wretched by the death
of thee,|Than I can wish to adders, spiders, toads,|Or any creeping venom'd thing that lives!|If ever he have child,
abortive be it,|Prodigious, and untimely brought to light,|Whose ugly and unnatural aspect|May fright the hopeful
mother at the view;|And that be heir to his unhappiness!|If ever he have wife, let her he made|A miserable by the
death of him|As I am made by my poor lord and thee!|Come, now towards Chertsey with your holy load,|Taken from Paul's
to be interred there;|And still, as you are weary of the weight,|Rest you, whiles I lament King Henry's
corse.||GLOUCESTER:|Stay, you that bear the corse, and set it down.||LADY ANNE:|What black magician conjures up this
fiend,|To stop devoted charitable deeds?||GLOUCESTER:|Villains, set down the corse; or, by Saint Paul,|I'll make a
corse of him that disobeys.||Gentleman:|My lord, stand back, and let the coffin pass.||GLOUCESTER:|Unmanner'd dog!
stand thou, when I command:|Advance thy halbert higher than my breast,|Or, by Saint Paul, I'll strike thee to my
foot,|And spurn upon thee, beggar, for thy boldness.||LADY ANNE:|What, do you tremble? are you all afraid?|Alas, I
blame you not; for you are mortal,|And mortal eyes cannot endure the devil.|Avaunt, thou dreadful minister of
hell!|Thou hadst but power over his mortal body,|His soul thou canst not have; therefore be gone.||GLOUCESTER:|Sweet
saint, for charity, be not so curst.||LADY ANNE:|Foul devil, for God's sake, hence, and trouble us not;|For thou hast
made the happy earth thy hell,|Fill'd it with cursing cries and deep exclaims.|If thou delight to view thy heinous
deeds,|Behold this pattern of thy butcheries.|O, gentlemen, see, see! dead Henry's wounds|Open their congeal'd mouths
and bleed afresh!|Blush, Blush, thou lump of foul deformity;|For 'tis thy presence that exhales this blood|From cold
and empty veins, where no blood dwells;|Thy deed, inhuman and unnatural,|Provokes this deluge most unnatural.|O God,
which this blood madest, revenge his death!|O earth, which this blood drink'st revenge his death!|Either heaven with
lightning strike the|murderer dead,|Or earth, gape open wide and eat him quick,|As thou dost swallow up this good
king's blood|Which his hell-govern'd arm hath butchered!||GLOUCESTER:|Lady, you know no rules of charity,|Which
renders good for bad, blessings for curses.||LADY ANNE:|Villain, thou know'st no law of God nor man:|No beast so
fierce but knows some touch of pity.||GLOUCESTER:|But I know none, and therefore am no beast.||LADY ANNE:|O wonderful,
when devils tell the truth!||GLOUCESTER:|More wonderful, when angels are so angry.|Vouchsafe, divine perfection of a
woman,|Of these supposed-evils, to give me leave,|By circumstance, but to acquit myself.||LADY ANNE:|Vouchsafe,
defused infection of a man,|For these known evils, but to give me leave,|By circumstance, to curse thy cursed
self.||GLOUCESTER:|Fairer than tongue can name thee, let me have|Some patient leisure to excuse myself.||LADY
ANNE:|Fouler than heart can think thee, thou canst make|No excuse current, but to hang thyself.||GLOUCESTER:|By such
despair, I should accuse myself.||LADY ANNE:|And, by despairing, shouldst thou stand excused;|For doing worthy
vengeance on thyself,|Which didst unworthy slaughter upon others.||GLOUCESTER:|Say that I slew them not?||LADY
ANNE:|Why, then they are not dead:|But dead they are, and devilish slave, by thee.||GLOUCESTER:|I did not kill your
husband.||LADY ANNE:|Why, then he is alive.||GLOUCESTER:|Nay, he is dead; and slain by Edward's hand.||LADY ANNE:|In
thy foul throat thou liest: Queen Margaret saw|Thy murderous falchion smoking in his blood;|The which thou once didst
bend against her breast,|But that thy brothers beat aside the point.||GLOUCESTER:|I was provoked by her slanderous
tongue,|which laid their guilt upon my guiltless shoulders.||LADY ANNE:|Thou wast provoked by thy bloody mind.|Which
never dreamt on aught but butcheries:|Didst thou not kill this king?||GLOUCESTER:|I grant ye.||LADY ANNE:|Dost grant
me, hedgehog? then, God grant me too|Thou mayst be damned for that wicked deed!|O, he was gentle, mild, and
virtuous!||GLOUCESTER:|The fitter for the King of heaven, that hath him.||LADY ANNE:|He is in heaven, where thou shalt
never come.||GLOUCESTER:|Let him thank me, that holp to send him thither;|For he was fitter for that place than
earth.||LADY ANNE:|And thou unfit for any place but hell.||GLOUCESTER:|Yes, one place else, if you will hear me name
it.||LADY ANNE:|Some dungeon.||GLOUCESTER:|Your bed-chamber.||LADY ANNE:|I'll rest betide the chamber where thou
liest!||GLOUCESTER:|So will it, madam till I lie with you.||LADY ANNE:|I hope so.||GLOUCESTER:|I know so. But, gentle
Lady Anne,|To leave this keen encounter of our wits,|And fall somewhat into a slower method,|Is not the causer of the
timeless deaths|Of these Plantagenets, Henry and Edward,|As blameful as the executioner?||LADY ANNE:|Thou art the
cause, and most accursed effect.||GLOUCESTER:|Your beauty was the cause of that effect;|Your beauty: which did haunt
me in my sleep|To undertake the death of all the world,|So I might live one hour in your sweet bosom.||LADY ANNE:|If I
thought that, I tell thee, homicide,|These nails should rend that beauty from my cheeks.||GLOUCESTER:|These eyes could
never endure sweet beauty's wreck;|You should not blemish it, if I stood by:|As all the world is cheered by the
sun,|So I by that; it is my day, my life.||LADY ANNE:|Black night o'ershade thy day, and death thy
life!||GLOUCESTER:|Curse not thyself, fair creature thou art both.||LADY ANNE:|I would I were, to be revenged on
thee.||GLOUCESTER:|It is a quarrel most unnatural,|To be revenged on him that loveth you.||LADY ANNE:|It is a quarrel
just and reasonable,|To be revenged on him that slew my husband.||GLOUCESTER:|He that bereft thee, lady, of thy
husband,|Did it to help thee to a better husband.||LADY ANNE:|His better doth not breathe upon the
earth.||GLOUCESTER:|He lives that loves thee better than he could.||LADY ANNE:|Name
him.||GLOUCESTER:|Plantagenet.||LADY ANNE:|Why, that was he.||GLOUCESTER:|The selfsame name, but one of better
nature.||LADY ANNE:|Where is he?||GLOUCESTER:|Here.|Why dost thou spit at me?||LADY ANNE:|Would it were mortal poison,
for thy sake!||GLOUCESTER:|Never came poison from so sweet a place.||LADY ANNE:|Never hung poison on a fouler
toad.|Out of my sight! thou dost infect my eyes.||GLOUCESTER:|Thine eyes, sweet lady, have infected mine.||LADY
ANNE:|Would they were basilisks, to strike thee dead!||GLOUCESTER:|I would they were, that I might die at once;|For
now they kill me with a living death.|Those eyes of thine from mine have drawn salt tears,|Shamed their aspect with
store of childish drops:|These eyes that never shed remorseful tear,|No, when my father York and Edward wept,|To hear
the piteous moan that Rutland made|When black-faced Clifford shook his sword at him;|Nor when thy warlike father, like
a child,|Told the sad story of my father's death,|And twenty times made pause to sob and weep,|That all the
standers-by had wet their cheeks|Like trees bedash'd with rain: in that sad time|My manly eyes did scorn an humble
tear;|And what these sorrows could not thence exhale,|Thy beauty hath, and made them blind with weeping.|I never sued
to friend nor enemy;|My tongue could never learn sweet smoothing word;|But now thy beauty is proposed my fee,|My proud
heart sues, and prompts my tongue to speak.|Teach not thy lips such scorn, for they were made|For kissing, lady, not
for such contempt.|If thy revengeful heart cannot forgive,|Lo, here I lend thee this sharp-pointed sword;|Which if
thou please to hide in this true bosom.|And let the soul forth that adoreth thee,|I lay it naked to the deadly
stroke,|And humbly beg the death upon my knee.|Nay, do not pause; for I did kill King Henry,|But 'twas thy beauty that
provoked me.|Nay, now dispatch; 'twas I that stabb'd young Edward,|But 'twas thy heavenly face that set me on.|Take up
the sword again, or take up me.||LADY ANNE:|Arise, dissembler: though I wish thy death,|I will not be the
executioner.||GLOUCESTER:|Then bid me kill myself, and I will do it.||LADY ANNE:|I have already.||GLOUCESTER:|Tush,
that was in thy rage:|Speak it again, and, even with the word,|That hand, which, for thy love, did kill thy
love,|Shall, for thy love, kill a far truer love;|To both their deaths thou shalt be accessary.||LADY ANNE:|I would I
knew thy heart.||GLOUCESTER:|'Tis figured in my tongue.||LADY ANNE:|I fear me both are false.||GLOUCESTER:|Then never
man was true.||LADY ANNE:|Well, well, put up your sword.||GLOUCESTER:|Say, then, my peace is made.||LADY ANNE:|That
shall you know hereafter.||GLOUCESTER:|But shall I live in hope?||LADY ANNE:|All men, I hope, live
so.||GLOUCESTER:|Vouchsafe to wear this ring.||LADY ANNE:|To take is not to give.||GLOUCESTER:|Look, how this ring
encompasseth finger.|Even so thy breast encloseth my poor heart;|Wear both of them, for both of them are thine.|And if
thy poor devoted suppliant may|But beg one favour at thy gracious hand,|Thou dost confirm his happiness for
ever.||LADY ANNE:|What is it?||GLOUCESTER:|That it would please thee leave these sad designs|To him that hath more
cause to be a mourner,|And presently repair to Crosby Place;|Where, after I have solemnly interr'd|At Chertsey
monastery this noble king,|And wet his grave with my repentant tears,|I will with all expedient duty see you:|For
divers unknown reasons. I beseech you,|Grant me this boon.||LADY ANNE:|With all my heart; and much it joys me too,|To
see you are become so penitent.|Tressel and Berkeley, go along with me.||GLOUCESTER:|Bid me farewell.||LADY ANNE:|'Tis
more than you deserve;|But since you teach me how to flatter you,|Imagine I have said farewell
already.||GLOUCESTER:|Sirs, take up the corse.||GENTLEMEN:|Towards Chertsey, noble lord?||GLOUCESTER:|No, to
White-Friars; there attend my coining.|Was ever woman in this humour woo'd?|Was ever woman in this humour won?|I'll
have her; but I will not keep her long.|What! I, that kill'd her husband and his father,|To take her in her heart's
extremest hate,|With curses in her mouth, tears in her eyes,|The bleeding witness of her hatred by;|Having God, her
conscience, and these bars|against me,|And I nothing to back my suit at all,|But the plain devil and dissembling
looks,|And yet to win her, all the world to nothing!|Ha!|Hath she forgot already that brave prince,|Edward, her lord,
whom I, some three months since,|Stabb'd in my angry mood at Tewksbury?|A sweeter and a lovelier gentleman,|Framed in
the prodigality of nature,|Young, valiant, wise, and, no doubt, right royal,|The spacious world cannot again
afford|And will she yet debase her eyes on me,|That cropp'd the golden prime of this sweet prince,|And made her widow
to a woful bed?|On me, whose all not equals Edward's moiety?|On me, that halt and am unshapen thus?|My dukedom to a
beggarly denier,|I do mistake my person all this while:|Upon my life, she finds, although I cannot,|Myself to be a
marvellous proper man.|I'll be at charges for a looking-glass,|And entertain some score or two of tailors,|To study
fashions to adorn my body:|Since I am crept in favour with myself,|Will maintain it with some little cost.|But first
I'll turn yon fellow in his grave;|And then return lamenting to my love.|Shine out, fair sun, till I have bought a
glass,|That I may see my shadow as I pass.||RIVERS:|Have patience, madam: there's no doubt his majesty|Will soon
recover his accustom'd health.||GREY:|In that you brook it in, it makes him worse:|Therefore, for God's sake,
entertain good comfort,|And cheer his grace with quick and merry words.||QUEEN ELIZABETH:|If he were dead, what would
betide of me?||RIVERS:|No other harm but loss of such a lord.||QUEEN ELIZABETH:|The loss of such a lord includes all
harm.||GREY:|The heavens have bless'd you with a goodly son,|To be your comforter when he is gone.||QUEEN
ELIZABETH:|Oh, he is young and his minority|Is put unto the trust of Richard Gloucester,|A man that loves not me, nor
none of you.||RIVERS:|Is it concluded that he shall be protector?||QUEEN ELIZABETH:|It is determined, not concluded
yet:|But so it must be, if the king miscarry.||GREY:|Here come the lords of Buckingham and Derby.||BUCKINGHAM:|Good
time of day unto your royal grace!||DERBY:|God make your majesty joyful as you have been!||QUEEN ELIZABETH:|The
Countess Richmond, good my Lord of Derby.|To your good prayers will scarcely say amen.|Yet, Derby, notwithstanding
she's your wife,|And loves not me, be you, good lord, assured|I hate not you for her proud arrogance.||DERBY:|I do
beseech you, either not believe|The envious slanders of her false accusers;|Or, if she be accused in true report,|Bear
with her weakness, which, I think proceeds|From wayward sickness, and no grounded malice.||RIVERS:|Saw you the king
to-day, my Lord of Derby?||DERBY:|But now the Duke of Buckingham and I|Are come from visiting his majesty.||QUEEN
ELIZABETH:|What likelihood of his amendment, lords?||BUCKINGHAM:|Madam, good hope; his grace speaks cheerfully.||QUEEN
ELIZABETH:|God grant him health! Did you confer with him?||BUCKINGHAM:|Madam, we did: he desires to make
atonement|Betwixt the Duke of Gloucester and your brothers,|And betwixt them and my lord chamberlain;|And sent to warn
them to his royal presence.||QUEEN ELIZABETH:|Would all were well! but that will never be|I fear our happiness is at
the highest.||GLOUCESTER:|They do me wrong, and I will not endure it:|Who are they that complain unto the king,|That
I, forsooth, am stern, and love them not?|By holy Paul, they love his grace but lightly|That fill his ears with such
dissentious rumours.|Because I cannot flatter and speak fair,|Smile in men's faces, smooth, deceive and cog,|Duck with
French nods and apish courtesy,|I must be held a rancorous enemy.|Cannot a plain man live and think no harm,|But thus
his simple truth must be abused|By silken, sly, insinuating Jacks?||RIVERS:|To whom in all this presence speaks your
grace?||GLOUCESTER:|To thee, that hast nor honesty nor grace.|When have I injured thee? when done thee wrong?|Or thee?
or thee? or any of your faction?|A plague upon you all! His royal person,--|Whom God preserve better than you would
wish!--|Cannot be quiet scarce a breathing-while,|But you must trouble him with lewd complaints.||QUEEN
ELIZABETH:|Brother of Gloucester, you mistake the matter.|The king, of his own royal disposition,|And not provoked by
any suitor else;|Aiming, belike, at your interior hatred,|Which in your outward actions shows itself|Against my
kindred, brothers, and myself,|Makes him to send; that thereby he may gather|The ground of your ill-will, and so
remove it.||GLOUCESTER:|I cannot tell: the world is grown so bad,|That wrens make prey where eagles dare not
perch:|Since every Jack became a gentleman|There's many a gentle person made a Jack.||QUEEN ELIZABETH:|Come, come, we
know your meaning, brother|Gloucester;|You envy my advancement and my friends':|God grant we never may have need of
you!||GLOUCESTER:|Meantime, God grants that we have need of you:|Your brother is imprison'd by your means,|Myself
disgraced, and the nobility|Held in contempt; whilst many fair promotions|Are daily given to ennoble those|That
scarce, some two days since, were worth a noble.||QUEEN ELIZABETH:|By Him that raised me to this careful height|From
that contented hap which I enjoy'd,|I never did incense his majesty|Against the Duke of Clarence, but have been|An
earnest advocate to plead for him.|My lord, you do me shameful injury,|Falsely to draw me in these vile
suspects.||GLOUCESTER:|You may deny that you were not the cause|Of my Lord Hastings' late imprisonment.||RIVERS:|She
may, my lord, for--||GLOUCESTER:|She may, Lord Rivers! why, who knows not so?|She may do more, sir, than denying
that:|She may help you to many fair preferments,|And then deny her aiding hand therein,|And lay those honours on your
high deserts.|What may she not? She may, yea, marry, may she--||RIVERS:|What, marry, may she?||GLOUCESTER:|What,
marry, may she! marry with a king,|A bachelor, a handsome stripling too:|I wis your grandam had a worser match.||QUEEN
ELIZABETH:|My Lord of Gloucester, I have too long borne|Your blunt upbraidings and your bitter scoffs:|By heaven, I
will acquaint his majesty|With those gross taunts I often have endured.|I had rather be a country servant-maid|Than a
great queen, with this condition,|To be thus taunted, scorn'd, and baited at:|Small joy have I in being England's
queen.||QUEEN MARGARET:|And lessen'd be that small, God, I beseech thee!|Thy honour, state and seat is due to
me.||GLOUCESTER:|What! threat you me with telling of the king?|Tell him, and spare not: look, what I have said|I will
avouch in presence of the king:|I dare adventure to be sent to the Tower.|'Tis time to speak; my pains are quite
forgot.||QUEEN MARGARET:|Out, devil! I remember them too well:|Thou slewest my husband Henry in the Tower,|And Edward,
my poor son, at Tewksbury.||GLOUCESTER:|Ere you were queen, yea, or your husband king,|I was a pack-horse in his great
affairs;|A weeder-out of his proud adversaries,|A liberal rewarder of his friends:|To royalize his blood I spilt mine
own.||QUEEN MARGARET:|Yea, and much better blood than his or thine.||GLOUCESTER:|In all which time you and your
husband Grey|Were factious for the house of Lancaster;|And, Rivers, so were you. Was not your husband|In Margaret's
battle at Saint Alban's slain?|Let me put in your minds, if you forget,|What you have been ere now, and what you
are;|Withal, what I have been, and what I am.||QUEEN MARGARET:|A murderous villain, and so still thou
art.||GLOUCESTER:|Poor Clarence did forsake his father, Warwick;|Yea, and forswore himself,--which Jesu
pardon!--||QUEEN MARGARET:|Which God revenge!||GLOUCESTER:|To fight on Edward's party for the crown;|And for his meed,
poor lord, he is mew'd up.|I would to God my heart were flint, like Edward's;|Or Edward's soft and pitiful, like
mine|I am too childish-foolish for this world.||QUEEN MARGARET:|Hie thee to hell for shame, and leave the world,|Thou
cacodemon! there thy kingdom is.||RIVERS:|My Lord of Gloucester, in those busy days|Which here you urge to prove us
enemies,|We follow'd then our lord, our lawful king:|So should we you, if you should be our king.||GLOUCESTER:|If I
should be! I had rather be a pedlar:|Far be it from my heart, the thought of it!||QUEEN ELIZABETH:|As little joy, my
lord, as you suppose|You should enjoy, were you this country's king,|As little joy may you suppose in me.|That I
enjoy, being the queen thereof.||QUEEN MARGARET:|A little joy enjoys the queen thereof;|For I am she, and altogether
joyless.|I can no longer hold me patient.|Hear me, you wrangling pirates, that fall out|In sharing that which you have
pill'd from me!|Which of you trembles not that looks on me?|If not, that, I being queen, you bow like subjects,|Yet
that, by you deposed, you quake like rebels?|O gentle villain, do not turn away!||GLOUCESTER:|Foul wrinkled witch,
what makest thou in my sight?||QUEEN MARGARET:|But repetition of what thou hast marr'd;|That will I make before I let
thee go.||GLOUCESTER:|Wert thou not banished on pain of death?||QUEEN MARGARET:|I was; but I do find more pain in
banishment|Than death can yield me here by my abode.|A husband and a son thou owest to me;|And thou a kingdom; all of
you allegiance:|The sorrow that I have, by right is yours,|And all the pleasures you usurp are mine.||GLOUCESTER:|The
curse my noble father laid on thee,|When thou didst crown his warlike brows with paper|And with thy scorns drew'st
rivers from his eyes,|And then, to dry them, gavest the duke a clout|Steep'd in the faultless blood of pretty
Rutland--|His curses, then from bitterness of soul|Denounced against thee, are all fall'n upon thee;|And God, not we,
hath plagued thy bloody deed.||QUEEN ELIZABETH:|So just is God, to right the innocent.||HASTINGS:|O, 'twas the foulest
deed to slay that babe,|And the most merciless that e'er was heard of!||RIVERS:|Tyrants themselves wept when it was
reported.||DORSET:|No man but prophesied revenge for it.||BUCKINGHAM:|Northumberland, then present, wept to see
it.||QUEEN MARGARET:|What were you snarling all before I came,|Ready to catch each other by the throat,|And turn you
all your hatred now on me?|Did York's dread curse prevail so much with heaven?|That Henry's death, my lovely Edward's
death,|Their kingdom's loss, my woful banishment,|Could all but answer for that peevish brat?|Can curses pierce the
clouds and enter heaven?|Why, then, give way, dull clouds, to my quick curses!|If not by war, by surfeit die your
king,|As ours by murder, to make him a king!|Edward thy son, which now is Prince of Wales,|For Edward my son, which
was Prince of Wales,|Die in his youth by like untimely violence!|Thyself a queen, for me that was a queen,|Outlive thy
glory, like my wretched self!|Long mayst thou live to wail thy children's loss;|And see another, as I see thee
now,|Deck'd in thy rights, as thou art stall'd in mine!|Long die thy happy days before thy death;|And, after many
lengthen'd hours of grief,|Die neither mother, wife, nor England's queen!|Rivers and Dorset, you were standers by,|And
so wast thou, Lord Hastings, when my son|Was stabb'd with bloody daggers: God, I pray him,|That none of you may live
your natural age,|But by some unlook'd accident cut off!||GLOUCESTER:|Have done thy charm, thou hateful wither'd
hag!||QUEEN MARGARET:|And leave out thee? stay, dog, for thou shalt hear me.|If heaven have any grievous plague in
store|Exceeding those that I can wish upon thee,|O, let them keep it till thy sins be ripe,|And then hurl down their
indignation|On thee, the troubler of the poor world's peace!|The worm of conscience still begnaw thy soul!|Thy friends
suspect for traitors while thou livest,|And take deep traitors for thy dearest friends!|No sleep close up that deadly
eye of thine,|Unless it be whilst some tormenting dream|Affrights thee with a hell of ugly devils!|Thou elvish-mark'd,
abortive, rooting hog!|Thou that wast seal'd in thy nativity|The slave of nature and the son of hell!|Thou slander of
thy mother's heavy womb!|Thou loathed issue of thy father's loins!|Thou rag of honour! thou
detested--||GLOUCESTER:|Margaret.||QUEEN MARGARET:|Richard!||GLOUCESTER:|Ha!||QUEEN MARGARET:|I call thee
not.||GLOUCESTER:|I cry thee mercy then, for I had thought|That thou hadst call'd me all these bitter names.||QUEEN
MARGARET:|Why, so I did; but look'd for no reply.|O, let me make the period to my curse!||GLOUCESTER:|'Tis done by me,
and ends in 'Margaret.'||QUEEN ELIZABETH:|Thus have you breathed your curse against yourself.||QUEEN MARGARET:|Poor
painted queen, vain flourish of my fortune!|Why strew'st thou sugar on that bottled spider,|Whose deadly web ensnareth
thee about?|Fool, fool! thou whet'st a knife to kill thyself.|The time will come when thou shalt wish for me|To help
thee curse that poisonous bunchback'd toad.||HASTINGS:|False-boding woman, end thy frantic curse,|Lest to thy harm
thou move our patience.||QUEEN MARGARET:|Foul shame upon you! you have all moved mine.||RIVERS:|Were you well served,
you would be taught your duty.||QUEEN MARGARET:|To serve me well, you all should do me duty,|Teach me to be your
queen, and you my subjects:|O, serve me well, and teach yourselves that duty!||DORSET:|Dispute not with her; she is
lunatic.||QUEEN MARGARET:|Peace, master marquess, you are malapert:|Your fire-new stamp of honour is scarce
current.|O, that your young nobility could judge|What 'twere to lose it, and be miserable!|They that stand high have
many blasts to shake them;|And if they fall, they dash themselves to pieces.||GLOUCESTER:|Good counsel, marry: learn
it, learn it, marquess.||DORSET:|It toucheth you, my lord, as much as me.||GLOUCESTER:|Yea, and much more: but I was
born so high,|Our aery buildeth in the cedar's top,|And dallies with the wind and scorns the sun.||QUEEN MARGARET:|And
turns the sun to shade; alas! alas!|Witness my son, now in the shade of death;|Whose bright out-shining beams thy
cloudy wrath|Hath in eternal darkness folded up.|Your aery buildeth in our aery's nest.|O God, that seest it, do not
suffer it!|As it was won with blood, lost be it so!||BUCKINGHAM:|Have done! for shame, if not for charity.||QUEEN
MARGARET:|Urge neither charity nor shame to me:|Uncharitably with me have you dealt,|And shamefully by you my hopes
are butcher'd.|My charity is outrage, life my shame|And in that shame still live my sorrow's rage.||BUCKINGHAM:|Have
done, have done.||QUEEN MARGARET:|O princely Buckingham I'll kiss thy hand,|In sign of league and amity with thee:|Now
fair befal thee and thy noble house!|Thy garments are not spotted with our blood,|Nor thou within the compass of my
curse.||BUCKINGHAM:|Nor no one here; for curses never pass|The lips of those that breathe them in the air.||QUEEN
MARGARET:|I'll not believe but they ascend the sky,|And there awake God's gentle-sleeping peace.|O Buckingham, take
heed of yonder dog!|Look, when he fawns, he bites; and when he bites,|His venom tooth will rankle to the death:|Have
not to do with him, beware of him;|Sin, death, and hell have set their marks on him,|And all their ministers attend on
him.||GLOUCESTER:|What doth she say, my Lord of Buckingham?||BUCKINGHAM:|Nothing that I respect, my gracious
lord.||QUEEN MARGARET:|What, dost thou scorn me for my gentle counsel?|And soothe the devil that I warn thee from?|O,
but remember this another day,|When he shall split thy very heart with sorrow,|And say poor Margaret was a
prophetess!|Live each of you the subjects to his hate,|And he to yours, and all of you to God's!||HASTINGS:|My hair
doth stand on end to hear her curses.||RIVERS:|And so doth mine: I muse why she's at liberty.||GLOUCESTER:|I cannot
blame her: by God's holy mother,|She hath had too much wrong; and I repent|My part thereof that I have done to
her.||QUEEN ELIZABETH:|I never did her any, to my knowledge.||GLOUCESTER:|But you have all the vantage of her wrong.|I
was too hot to do somebody good,|That is too cold in thinking of it now.|Marry, as for Clarence, he is well repaid,|He
is frank'd up to fatting for his pains|God pardon them that are the cause of it!||RIVERS:|A virtuous and a
Christian-like conclusion,|To pray for them that have done scathe to us.||GLOUCESTER:|So do I ever:|being
well-advised.|For had I cursed now, I had cursed myself.||CATESBY:|Madam, his majesty doth call for you,|And for your
grace; and you, my noble lords.||QUEEN ELIZABETH:|Catesby, we come. Lords, will you go with us?||RIVERS:|Madam, we
will attend your grace.||GLOUCESTER:|I do the wrong, and first begin to brawl.|The secret mischiefs that I set
abroach|I lay unto the grievous charge of others.|Clarence, whom I, indeed, have laid in darkness,|I do beweep to many
simple gulls|Namely, to Hastings, Derby, Buckingham;|And say it is the queen and her allies|That stir the king against
the duke my brother.|Now, they believe it; and withal whet me|To be revenged on Rivers, Vaughan, Grey:|But then I
sigh; and, with a piece of scripture,|Tell them that God bids us do good for evil:|And thus I clothe my naked
villany|With old odd ends stolen out of holy writ;|And seem a saint, when most I play the devil.|But, soft! here come
my executioners.|How now, my hardy, stout resolved mates!|Are you now going to dispatch this deed?||First Murderer:|We
are, my lord; and come to have the warrant|That we may be admitted where he is.||GLOUCESTER:|Well thought upon; I have
it here about me.|When you have done, repair to Crosby Place.|But, sirs, be sudden in the execution,|Withal obdurate,
do not hear him plead;|For Clarence is well-spoken, and perhaps|May move your hearts to pity if you mark him.||First
Murderer:|Tush!|Fear not, my lord, we will not stand to prate;|Talkers are no good doers: be assured|We come to use
our hands and not our tongues.||GLOUCESTER:|Your eyes drop millstones, when fools' eyes drop tears:|I like you, lads;
about your business straight;|Go, go, dispatch.||First Murderer:|We will, my noble lord.||BRAKENBURY:|Why looks your
grace so heavily today?||CLARENCE:|O, I have pass'd a miserable night,|So full of ugly sights, of ghastly
dreams,|That, as I am a Christian faithful man,|I would not spend another such a night,|Though 'twere to buy a world
of happy days,|So full of dismal terror was the time!||BRAKENBURY:|What was your dream? I long to hear you tell
it.||CLARENCE:|Methoughts that I had broken from the Tower,|And was embark'd to cross to Burgundy;|And, in my company,
my brother Gloucester;|Who from my cabin tempted me to walk|Upon the hatches: thence we looked toward England,|And
cited up a thousand fearful times,|During the wars of York and Lancaster|That had befall'n us. As we paced along|Upon
the giddy footing of the hatches,|Methought that Gloucester stumbled; and, in falling,|Struck me, that thought to stay
him, overboard,|Into the tumbling billows of the main.|Lord, Lord! methought, what pain it was to drown!|What dreadful
noise of waters in mine ears!|What ugly sights of death within mine eyes!|Methought I saw a thousand fearful
wrecks;|Ten thousand men that fishes gnaw'd upon;|Wedges of gold, great anchors, heaps of pearl,|Inestimable stones,
unvalued jewels,|All scatter'd in the bottom of the sea:|Some lay in dead men's skulls; and, in those holes|Where eyes
did once inhabit, there were crept,|As 'twere in scorn of eyes, reflecting gems,|Which woo'd the slimy bottom of the
deep,|And mock'd the dead bones that lay scatter'd by.||BRAKENBURY:|Had you such leisure in the time of death|To gaze
upon the secrets of the deep?||CLARENCE:|Methought I had; and often did I strive|To yield the ghost: but still the
envious flood|Kept in my soul, and would not let it forth|To seek the empty, vast and wandering air;|But smother'd it
within my panting bulk,|Which almost burst to belch it in the sea.||BRAKENBURY:|Awaked you not with this sore
agony?||CLARENCE:|O, no, my dream was lengthen'd after life;|O, then began the tempest to my soul,|Who pass'd,
methought, the melancholy flood,|With that grim ferryman which poets write of,|Unto the kingdom of perpetual
night.|The first that there did greet my stranger soul,|Was my great father-in-law, renowned Warwick;|Who cried aloud,
'What scourge for perjury|Can this dark monarchy afford false Clarence?'|And so he vanish'd: then came wandering by|A
shadow like an angel, with bright hair|Dabbled in blood; and he squeak'd out aloud,|'Clarence is come; false,
fleeting, perjured Clarence,|That stabb'd me in the field by Tewksbury;|Seize on him, Furies, take him to your
torments!'|With that, methoughts, a legion of foul fiends|Environ'd me about, and howled in mine ears|Such hideous
cries, that with the very noise|I trembling waked, and for a season after|Could not believe but that I was in
hell,|Such terrible impression made the dream.||BRAKENBURY:|No marvel, my lord, though it affrighted you;|I promise, I
am afraid to hear you tell it.||CLARENCE:|O Brakenbury, I have done those things,|Which now bear evidence against my
soul,|For Edward's sake; and see how he requites me!|O God! if my deep prayers cannot appease thee,|But thou wilt be
avenged on my misdeeds,|Yet execute thy wrath in me alone,|O, spare my guiltless wife and my poor children!|I pray
thee, gentle keeper, stay by me;|My soul is heavy, and I fain would sleep.||BRAKENBURY:|I will, my lord: God give your
grace good rest!|Sorrow breaks seasons and reposing hours,|Makes the night morning, and the noon-tide night.|Princes
have but their tides for their glories,|An outward honour for an inward toil;|And, for unfelt imagination,|They often
feel a world of restless cares:|So that, betwixt their tides and low names,|There's nothing differs but the outward
fame.||First Murderer:|Ho! who's here?||BRAKENBURY:|In God's name what are you, and how came you hither?||First
Murderer:|I would speak with Clarence, and I came hither on my legs.||BRAKENBURY:|Yea, are you so brief?||Second
Murderer:|O sir, it is better to be brief than tedious. Show|him our commission; talk no more.||BRAKENBURY:|I am, in
this, commanded to deliver|The noble Duke of Clarence to your hands:|I will not reason what is meant hereby,|Because I
will be guiltless of the meaning.|Here are the keys, there sits the duke asleep:|I'll to the king; and signify to
him|That thus I have resign'd my charge to you.||First Murderer:|Do so, it is a point of wisdom: fare you
well.||Second Murderer:|What, shall we stab him as he sleeps?||First Murderer:|No; then he will say 'twas done
cowardly, when he wakes.||Second Murderer:|When he wakes! why, fool, he shall never wake till|the judgment-day.||First
Murderer:|Why, then he will say we stabbed him sleeping.||Second Murderer:|The urging of that word 'judgment' hath
bred a kind|of remorse in me.||First Murderer:|What, art thou afraid?||Second Murderer:|Not to kill him, having a
warrant for it; but to be|damned for killing him, from which no warrant can defend us.||First Murderer:|I thought thou
hadst been resolute.||Second Murderer:|So I am, to let him live.||First Murderer:|Back to the Duke of Gloucester, tell
him so.||Second Murderer:|I pray thee, stay a while: I hope my holy humour|will change; 'twas wont to hold me but
while one|would tell twenty.||First Murderer:|How dost thou feel thyself now?||Second Murderer:|'Faith, some certain
dregs of conscience are yet|within me.||First Murderer:|Remember our reward, when the deed is done.||Second
Murderer:|'Zounds, he dies: I had forgot the reward.||First Murderer:|Where is thy conscience now?||Second
Murderer:|In the Duke of Gloucester's purse.||First Murderer:|So when he opens his purse to give us our reward,|thy
conscience flies out.||Second Murderer:|Let it go; there's few or none will entertain it.||First Murderer:|How if it
come to thee again?||Second Murderer:|I'll not meddle with it: it is a dangerous thing: it|makes a man a coward: a man
cannot steal, but it|accuseth him; he cannot swear, but it cheques him;|he cannot lie with his neighbour's wife, but
it|detects him: 'tis a blushing shamefast spirit that|mutinies in a man's bosom; it fills one full of|obstacles: it
made me once restore a purse of gold|that I found; it beggars any man that keeps it: it|is turned out of all towns and
cities for a|dangerous thing; and every man that means to live|well endeavours to trust to himself and to live|without
it.||First Murderer:|'Zounds, it is even now at my elbow, persuading me|not to kill the duke.||Second Murderer:|Take
the devil in thy mind, and relieve him not: he|would insinuate with thee but to make thee sigh.||First Murderer:|Tut,
I am strong-framed, he cannot prevail with me,|I warrant thee.||Second Murderer:|Spoke like a tail fellow that
respects his|reputation. Come, shall we to this gear?||First Murderer:|Take him over the costard with the hilts of
thy|sword, and then we will chop him in the malmsey-butt|in the next room.||Second Murderer:|O excellent devise! make
a sop of him.||First Murderer:|Hark! he stirs: shall I strike?||Second Murderer:|No, first let's reason with
him.||CLARENCE:|Where art thou, keeper? give me a cup of wine.||Second murderer:|You shall have wine enough, my lord,
anon.||CLARENCE:|In God's name, what art thou?||Second Murderer:|A man, as you are.||CLARENCE:|But not, as I am,
royal.||Second Murderer:|Nor you, as we are, loyal.||CLARENCE:|Thy voice is thunder, but thy looks are humble.||Second
Murderer:|My voice is now the king's, my looks mine own.||CLARENCE:|How darkly and how deadly dost thou speak!|Your
eyes do menace me: why look you pale?|Who sent you hither? Wherefore do you come?||Both:|To, to, to--||CLARENCE:|To
murder me?||Both:|Ay, ay.||CLARENCE:|You scarcely have the hearts to tell me so,|And therefore cannot have the hearts
to do it.|Wherein, my friends, have I offended you?||First Murderer:|Offended us you have not, but the
king.||CLARENCE:|I shall be reconciled to him again.||Second Murderer:|Never, my lord; therefore prepare to
die.||CLARENCE:|Are you call'd forth from out a world of men|To slay the innocent? What is my offence?|Where are the
evidence that do accuse me?|What lawful quest have given their verdict up|Unto the frowning judge? or who
pronounced|The bitter sentence of poor Clarence' death?|Before I be convict by course of law,|To threaten me with
death is most unlawful.|I charge you, as you hope to have redemption|By Christ's dear blood shed for our grievous
sins,|That you depart and lay no hands on me|The deed you undertake is damnable.||First Murderer:|What we will do, we
do upon command.||Second Murderer:|And he that hath commanded is the king.||CLARENCE:|Erroneous vassal! the great King
of kings|Hath in the tables of his law commanded|That thou shalt do no murder: and wilt thou, then,|Spurn at his edict
and fulfil a man's?|Take heed; for he holds vengeance in his hands,|To hurl upon their heads that break his
law.||Second Murderer:|And that same vengeance doth he hurl on thee,|For false forswearing and for murder too:|Thou
didst receive the holy sacrament,|To fight in quarrel of the house of Lancaster.||First Murderer:|And, like a traitor
to the name of God,|Didst break that vow; and with thy treacherous blade|Unrip'dst the bowels of thy sovereign's
son.||Second Murderer:|Whom thou wert sworn to cherish and defend.||First Murderer:|How canst thou urge God's dreadful
law to us,|When thou hast broke it in so dear degree?||CLARENCE:|Alas! for whose sake did I that ill deed?|For Edward,
for my brother, for his sake: Why, sirs,|He sends ye not to murder me for this|For in this sin he is as deep as I.|If
God will be revenged for this deed.|O, know you yet, he doth it publicly,|Take not the quarrel from his powerful
arm;|He needs no indirect nor lawless course|To cut off those that have offended him.||First Murderer:|Who made thee,
then, a bloody minister,|When gallant-springing brave Plantagenet,|That princely novice, was struck dead by
thee?||CLARENCE:|My brother's love, the devil, and my rage.||First Murderer:|Thy brother's love, our duty, and thy
fault,|Provoke us hither now to slaughter thee.||CLARENCE:|Oh, if you love my brother, hate not me;|I am his brother,
and I love him well.|If you be hired for meed, go back again,|And I will send you to my brother Gloucester,|Who shall
reward you better for my life|Than Edward will for tidings of my death.||Second Murderer:|You are deceived, your
brother Gloucester hates you.||CLARENCE:|O, no, he loves me, and he holds me dear:|Go you to him from me.||Both:|Ay,
so we will.||CLARENCE:|Tell him, when that our princely father York|Bless'd his three sons with his victorious
arm,|And charged us from his soul to love each other,|He little thought of this divided friendship:|Bid Gloucester
think of this, and he will weep.||First Murderer:|Ay, millstones; as be lesson'd us to weep.||CLARENCE:|O, do not
slander him, for he is kind.||First Murderer:|Right,|As snow in harvest. Thou deceivest thyself:|'Tis he that sent us
hither now to slaughter thee.||CLARENCE:|It cannot be; for when I parted with him,|He hugg'd me in his arms, and
swore, with sobs,|That he would labour my delivery.||Second Murderer:|Why, so he doth, now he delivers thee|From this
world's thraldom to the joys of heaven.||First Murderer:|Make peace with God, for you must die, my
lord.||CLARENCE:|Hast thou that holy feeling in thy soul,|To counsel me to make my peace with God,|And art thou yet to
thy own soul so blind,|That thou wilt war with God by murdering me?|Ah, sirs, consider, he that set you on|To do this
deed will hate you for the deed.||Second Murderer:|What shall we do?||CLARENCE:|Relent, and save your souls.||First
Murderer:|Relent! 'tis cowardly and womanish.||CLARENCE:|Not to relent is beastly, savage, devilish.|Which of you, if
you were a prince's son,|Being pent from liberty, as I am now,|if two such murderers as yourselves came to you,|`);
