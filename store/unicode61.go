package store

import (
	"sort"
	"strconv"
	"strings"
	"sync"
)

// The index takes words apart by the tables of an older Unicode than Go's, in
// which, for one thing, a symbol that did not exist yet is a letter. They are
// written down here; a test holds them against the index.

// letterRanges are the characters beyond ASCII of which words consist.
const letterRanges = `
aa b2-b3 b5 b9-ba bc-be c0-d6 d8-f6 f8-2c1 2c6-2d1 2e0-2e4 2ec 2ee 370-374 376-37d 37f-383 386 388-3f5 3f7-481 48a-559 560-588 58b-58e 590
5c8-5f2 5f5-5ff 605 61c-61d 620-64a 660-669 66e-66f 671-6d3 6d5 6e5-6e6 6ee-6fc 6ff 70e 710 712-72f 74b-7a5 7b1-7ea 7f4-7f5 7fa-815 81a 824
828 82e-82f 83f-858 85c-85d 85f-8e3 8ff 904-939 93d 950 958-961 966-96f 971-980 984-9bb 9bd 9c5-9c6 9c9-9ca 9ce-9d6 9d8-9e1 9e4-9f1 9f4-9f9
9fc-a00 a04-a3b a3d a43-a46 a49-a4a a4e-a50 a52-a6f a72-a74 a76-a80 a84-abb abd ac6 aca ace-ae1 ae4-aef af2-b00 b04-b3b b3d b45-b46 b49-b4a
b4e-b55 b58-b61 b64-b6f b71-b81 b83-bbd bc3-bc5 bc9 bce-bd6 bd8-bf2 bfb-c00 c04-c3d c45 c49 c4e-c54 c57-c61 c64-c7e c80-c81 c84-cbb cbd cc5
cc9 cce-cd4 cd7-ce1 ce4-d01 d04-d3d d45 d49 d4e-d56 d58-d61 d64-d78 d7a-d81 d84-dc9 dcb-dce dd5 dd7 de0-df1 df5-e30 e32-e33 e3b-e3e e40-e46
e50-e59 e5c-eb0 eb2-eb3 eba ebd-ec7 ece-f00 f20-f33 f40-f70 f88-f8c f98 fbd fcd fdb-102a 103f-1049 1050-1055 105a-105d 1061 1065-1066
106e-1070 1075-1081 108e 1090-1099 10a0-10fa 10fc-135c 1369-138f 139a-13ff 1401-166c 166f-167f 1681-169a 169d-16ea 16ee-1711 1715-1731
1737-1751 1754-1771 1774-17b3 17d7 17dc 17de-17ff 180f-18a8 18aa-191f 192c-192f 193c-193f 1941-1943 1946-19af 19c1-19c7 19ca-19dd 1a00-1a16
1a1c-1a1d 1a20-1a54 1a5f 1a7d-1a7e 1a80-1a9f 1aa7 1aae-1aff 1b05-1b33 1b45-1b59 1b7d-1b7f 1b83-1ba0 1bae-1be5 1bf4-1bfb 1c00-1c23 1c38-1c3a
1c40-1c7d 1c80-1cbf 1cc8-1ccf 1ce9-1cec 1cee-1cf1 1cf5-1dbf 1de7-1dfb 1e00-1fbc 1fbe 1fc2-1fcc 1fd0-1fdc 1fe0-1fec 1ff0-1ffc 1fff 2065-2069
2070-2079 207f-2089 208f-209f 20ba-20cf 20f1-20ff 2102 2107 210a-2113 2115 2119-211d 2124 2126 2128 212a-212d 212f-2139 213c-213f 2145-2149
214e 2150-218f 23f4-23ff 2427-243f 244b-249b 24ea-24ff 2700 2776-2793 2b4d-2b4f 2b5a-2ce4 2ceb-2cee 2cf2-2cf8 2cfd 2d00-2d6f 2d71-2d7e
2d80-2ddf 2e2f 2e3c-2e7f 2e9a 2ef4-2eff 2fd6-2fef 2ffc-2fff 3005-3007 3021-3029 3031-3035 3038-303c 3040-3098 309d-309f 30a1-30fa 30fc-318f
3192-3195 31a0-31bf 31e4-31ff 321f-3229 3248-324f 3251-325f 3280-3289 32b1-32bf 32ff 3400-4dbf 4e00-a48f a4c7-a4fd a500-a60c a610-a66e
a67f-a69e a6a0-a6ef a6f8-a6ff a717-a71f a722-a788 a78b-a801 a803-a805 a807-a80a a80c-a822 a82c-a835 a83a-a873 a878-a87f a882-a8b3 a8c5-a8cd
a8d0-a8df a8f2-a8f7 a8fb-a925 a930-a946 a954-a95e a960-a97f a984-a9b2 a9ce-a9dd a9e0-aa28 aa37-aa42 aa44-aa4b aa4e-aa5b aa60-aa76 aa7a
aa7c-aaaf aab1 aab5-aab6 aab9-aabd aac0 aac2-aadd aae0-aaea aaf2-aaf4 aaf7-abe2 abee-d7ff e000-fb1d fb1f-fb28 fb2a-fbb1 fbc2-fd3d fd40-fdfb
fdfe-fdff fe1a-fe1f fe27-fe2f fe53 fe67 fe6c-fefe ff00 ff10-ff19 ff21-ff3a ff41-ff5a ff66-ffdf ffe7 ffef-fff8 10000-100ff 10103-10136
10140-10178 1018a-1018f 1019c-101cf 101fe-1039e 103a0-103cf 103d1-10856 10858-1091e 10920-1093e 10940-10a00 10a04 10a07-10a0b 10a10-10a37
10a3b-10a3e 10a40-10a4f 10a59-10a7e 10a80-10b38 10b40-10fff 11003-11037 1104e-1107f 11083-110af 110c2-110ff 11103-11126 11135-1113f
11144-1117f 11183-111b2 111c1-111c4 111c9-116aa 116b8-1246f 12474-16f50 16f7f-16f8e 16f93-1cfff 1d0f6-1d0ff 1d127-1d128 1d1de-1d1ff
1d246-1d2ff 1d357-1d6c0 1d6c2-1d6da 1d6dc-1d6fa 1d6fc-1d714 1d716-1d734 1d736-1d74e 1d750-1d76e 1d770-1d788 1d78a-1d7a8 1d7aa-1d7c2
1d7c4-1eeef 1eef2-1efff 1f02c-1f02f 1f094-1f09f 1f0af-1f0b0 1f0bf-1f0c0 1f0d0 1f0e0-1f10f 1f12f 1f16c-1f16f 1f19b-1f1e5 1f203-1f20f
1f23b-1f23f 1f249-1f24f 1f252-1f2ff 1f321-1f32f 1f336 1f37d-1f37f 1f394-1f39f 1f3c5 1f3cb-1f3df 1f3f1-1f3ff 1f43f 1f441 1f4f8 1f4fd-1f4ff
1f53e-1f53f 1f544-1f54f 1f568-1f5fa 1f641-1f644 1f650-1f67f 1f6c6-1f6ff 1f774-e0000 e0002-e001f e0080-e00ff e01f0-10ffff`

// foldedPairs are the characters beyond ASCII that are not indexed as they are:
// each is followed by what stands for it.
const foldedPairs = `
µμÀaÁaÂaÃaÄaÅaÆæÇcÈeÉeÊeËeÌiÍiÎiÏiÐðÑnÒoÓoÔoÕoÖoØøÙuÚuÛuÜuÝyÞþàaáaâaãaäaåaçcèeéeêeëeìiíiîiïiñnòoóoôoõoöoùuúuûuüuýyÿy
ĀaāaĂaăaĄaąaĆcćcĈcĉcĊcċcČcčcĎdďdĐđĒeēeĔeĕeĖeėeĘeęeĚeěeĜgĝgĞgğgĠgġgĢgģgĤhĥhĦħĨiĩiĪiīiĬiĭiĮiįiİiĲĳĴjĵjĶkķkĹlĺlĻlļlĽlľl
ĿŀŁłŃnńnŅnņnŇnňnŊŋŌoōoŎoŏoŐoőoŒœŔrŕrŖrŗrŘrřrŚsśsŜsŝsŞsşsŠsšsŢtţtŤtťtŦŧŨuũuŪuūuŬuŭuŮuůuŰuűuŲuųuŴwŵwŶyŷyŸyŹzźzŻzżzŽzžz
ſsƁɓƂƃƄƅƆɔƇƈƉɖƊɗƋƌƎǝƏəƐɛƑƒƓɠƔɣƖɩƗɨƘƙƜɯƝɲƟɵƠoơoƢƣƤƥƦʀƧƨƩʃƬƭƮʈƯuưuƱʊƲʋƳƴƵƶƷʒƸƹƼƽǄǆǅǆǇǉǈǉǊǌǋǌǍaǎaǏiǐiǑoǒoǓuǔuǕuǖuǗuǘuǙu
ǚuǛuǜuǞaǟaǠǡǢǣǤǥǦgǧgǨkǩkǪoǫoǬoǭoǮǯǰjǱǳǲǳǴgǵgǶƕǷƿǸnǹnǺaǻaǼǽǾǿȀaȁaȂaȃaȄeȅeȆeȇeȈiȉiȊiȋiȌoȍoȎoȏoȐrȑrȒrȓrȔuȕuȖuȗuȘsșsȚtțt
ȜȝȞhȟhȠƞȢȣȤȥȦaȧaȨeȩeȪoȫoȬoȭoȮoȯoȰoȱoȲyȳyȺⱥȻȼȽƚȾⱦɁɂɃƀɄʉɅʌɆɇɈɉɊɋɌɍɎɏͰͱͲͳͶͷΆάΈέΉήΊίΌόΎύΏώΑαΒβΓγΔδΕεΖζΗηΘθΙιΚκΛλΜμΝνΞξΟο
ΠπΡρΣσΤτΥυΦφΧχΨψΩωΪϊΫϋςσϏϗϐβϑθϕφϖπϘϙϚϛϜϝϞϟϠϡϢϣϤϥϦϧϨϩϪϫϬϭϮϯϰκϱρϴθϵεϷϸϹϲϺϻϽͻϾͼϿͽЀѐЁёЂђЃѓЄєЅѕІіЇїЈјЉљЊњЋћЌќЍѝЎўЏџАаБбВв
ГгДдЕеЖжЗзИиЙйКкЛлМмНнОоПпРрСсТтУуФфХхЦцЧчШшЩщЪъЫыЬьЭэЮюЯяѠѡѢѣѤѥѦѧѨѩѪѫѬѭѮѯѰѱѲѳѴѵѶѷѸѹѺѻѼѽѾѿҀҁҊҋҌҍҎҏҐґҒғҔҕҖҗҘҙҚқҜҝҞҟҠҡ
ҢңҤҥҦҧҨҩҪҫҬҭҮүҰұҲҳҴҵҶҷҸҹҺһҼҽҾҿӀӏӁӂӃӄӅӆӇӈӉӊӋӌӍӎӐӑӒӓӔӕӖӗӘәӚӛӜӝӞӟӠӡӢӣӤӥӦӧӨөӪӫӬӭӮӯӰӱӲӳӴӵӶӷӸӹӺӻӼӽӾӿԀԁԂԃԄԅԆԇԈԉԊԋԌԍԎԏԐԑԒԓԔԕ
ԖԗԘԙԚԛԜԝԞԟԠԡԢԣԤԥԦԧԱաԲբԳգԴդԵեԶզԷէԸըԹթԺժԻիԼլԽխԾծԿկՀհՁձՂղՃճՄմՅյՆնՇշՈոՉչՊպՋջՌռՍսՎվՏտՐրՑցՒւՓփՔքՕօՖֆႠⴀႡⴁႢⴂႣⴃႤⴄႥⴅႦⴆႧⴇႨⴈႩⴉႪⴊ
ႫⴋႬⴌႭⴍႮⴎႯⴏႰⴐႱⴑႲⴒႳⴓႴⴔႵⴕႶⴖႷⴗႸⴘႹⴙႺⴚႻⴛႼⴜႽⴝႾⴞႿⴟჀⴠჁⴡჂⴢჃⴣჄⴤჅⴥჇⴧჍⴭḀaḁaḂbḃbḄbḅbḆbḇbḈcḉcḊdḋdḌdḍdḎdḏdḐdḑdḒdḓdḔeḕeḖeḗeḘeḙeḚeḛeḜe
ḝeḞfḟfḠgḡgḢhḣhḤhḥhḦhḧhḨhḩhḪhḫhḬiḭiḮiḯiḰkḱkḲkḳkḴkḵkḶlḷlḸlḹlḺlḻlḼlḽlḾmḿmṀmṁmṂmṃmṄnṅnṆnṇnṈnṉnṊnṋnṌoṍoṎoṏoṐoṑoṒoṓoṔpṕpṖp
ṗpṘrṙrṚrṛrṜrṝrṞrṟrṠsṡsṢsṣsṤsṥsṦsṧsṨsṩsṪtṫtṬtṭtṮtṯtṰtṱtṲuṳuṴuṵuṶuṷuṸuṹuṺuṻuṼvṽvṾvṿvẀwẁwẂwẃwẄwẅwẆwẇwẈwẉwẊxẋxẌxẍxẎyẏyẐz
ẑzẒzẓzẔzẕzẖhẗtẘwẙyẛsẞßẠaạaẢaảaẤaấaẦaầaẨaẩaẪaẫaẬaậaẮaắaẰaằaẲaẳaẴaẵaẶaặaẸeẹeẺeẻeẼeẽeẾeếeỀeềeỂeểeỄeễeỆeệeỈiỉiỊiịiỌoọoỎo
ỏoỐoốoỒoồoỔoổoỖoỗoỘoộoỚoớoỜoờoỞoởoỠoỡoỢoợoỤuụuỦuủuỨuứuỪuừuỬuửuỮuữuỰuựuỲyỳyỴyỵyỶyỷyỸyỹyỺỻỼỽỾỿἈἀἉἁἊἂἋἃἌἄἍἅἎἆἏἇἘἐἙἑἚἒἛἓ
ἜἔἝἕἨἠἩἡἪἢἫἣἬἤἭἥἮἦἯἧἸἰἹἱἺἲἻἳἼἴἽἵἾἶἿἷὈὀὉὁὊὂὋὃὌὄὍὅὙὑὛὓὝὕὟὗὨὠὩὡὪὢὫὣὬὤὭὥὮὦὯὧᾈᾀᾉᾁᾊᾂᾋᾃᾌᾄᾍᾅᾎᾆᾏᾇᾘᾐᾙᾑᾚᾒᾛᾓᾜᾔᾝᾕᾞᾖᾟᾗᾨᾠᾩᾡᾪᾢᾫᾣᾬᾤᾭᾥ
ᾮᾦᾯᾧᾸᾰᾹᾱᾺὰΆάᾼᾳιιῈὲΈέῊὴΉήῌῃῘῐῙῑῚὶΊίῨῠῩῡῪὺΎύῬῥῸὸΌόῺὼΏώῼῳΩωKkÅaℲⅎⅠⅰⅡⅱⅢⅲⅣⅳⅤⅴⅥⅵⅦⅶⅧⅷⅨⅸⅩⅹⅪⅺⅫⅻⅬⅼⅭⅽⅮⅾⅯⅿↃↄⰀⰰⰁⰱⰂⰲⰃⰳⰄⰴⰅⰵⰆⰶⰇⰷⰈⰸⰉⰹ
ⰊⰺⰋⰻⰌⰼⰍⰽⰎⰾⰏⰿⰐⱀⰑⱁⰒⱂⰓⱃⰔⱄⰕⱅⰖⱆⰗⱇⰘⱈⰙⱉⰚⱊⰛⱋⰜⱌⰝⱍⰞⱎⰟⱏⰠⱐⰡⱑⰢⱒⰣⱓⰤⱔⰥⱕⰦⱖⰧⱗⰨⱘⰩⱙⰪⱚⰫⱛⰬⱜⰭⱝⰮⱞⱠⱡⱢɫⱣᵽⱤɽⱧⱨⱩⱪⱫⱬⱭɑⱮɱⱯɐⱰɒⱲⱳⱵⱶⱾȿⱿɀⲀⲁⲂⲃⲄⲅⲆⲇⲈⲉⲊⲋ
ⲌⲍⲎⲏⲐⲑⲒⲓⲔⲕⲖⲗⲘⲙⲚⲛⲜⲝⲞⲟⲠⲡⲢⲣⲤⲥⲦⲧⲨⲩⲪⲫⲬⲭⲮⲯⲰⲱⲲⲳⲴⲵⲶⲷⲸⲹⲺⲻⲼⲽⲾⲿⳀⳁⳂⳃⳄⳅⳆⳇⳈⳉⳊⳋⳌⳍⳎⳏⳐⳑⳒⳓⳔⳕⳖⳗⳘⳙⳚⳛⳜⳝⳞⳟⳠⳡⳢⳣⳫⳬⳭⳮⳲⳳꙀꙁꙂꙃꙄꙅꙆꙇꙈꙉꙊꙋꙌꙍꙎꙏꙐꙑꙒꙓꙔꙕ
ꙖꙗꙘꙙꙚꙛꙜꙝꙞꙟꙠꙡꙢꙣꙤꙥꙦꙧꙨꙩꙪꙫꙬꙭꚀꚁꚂꚃꚄꚅꚆꚇꚈꚉꚊꚋꚌꚍꚎꚏꚐꚑꚒꚓꚔꚕꚖꚗꜢꜣꜤꜥꜦꜧꜨꜩꜪꜫꜬꜭꜮꜯꜲꜳꜴꜵꜶꜷꜸꜹꜺꜻꜼꜽꜾꜿꝀꝁꝂꝃꝄꝅꝆꝇꝈꝉꝊꝋꝌꝍꝎꝏꝐꝑꝒꝓꝔꝕꝖꝗꝘꝙꝚꝛꝜꝝꝞꝟꝠꝡꝢꝣꝤꝥꝦꝧ
ꝨꝩꝪꝫꝬꝭꝮꝯꝹꝺꝻꝼꝽᵹꝾꝿꞀꞁꞂꞃꞄꞅꞆꞇꞋꞌꞍɥꞐꞑꞒꞓꞠꞡꞢꞣꞤꞥꞦꞧꞨꞩꞪɦＡａＢｂＣｃＤｄＥｅＦｆＧｇＨｈＩｉＪｊＫｋＬｌＭｍＮｎＯｏＰｐＱｑＲｒＳｓＴｔＵｕＶｖＷｗＸｘＹｙＺｚ𐐀𐐨𐐁𐐩𐐂𐐪𐐃𐐫𐐄𐐬𐐅𐐭𐐆𐐮𐐇𐐯𐐈𐐰𐐉𐐱
𐐊𐐲𐐋𐐳𐐌𐐴𐐍𐐵𐐎𐐶𐐏𐐷𐐐𐐸𐐑𐐹𐐒𐐺𐐓𐐻𐐔𐐼𐐕𐐽𐐖𐐾𐐗𐐿𐐘𐑀𐐙𐑁𐐚𐑂𐐛𐑃𐐜𐑄𐐝𐑅𐐞𐑆𐐟𐑇𐐠𐑈𐐡𐑉𐐢𐑊𐐣𐑋𐐤𐑌𐐥𐑍𐐦𐑎𐐧𐑏`

// droppedMarks are the accents that a word goes on after and that are not indexed.
const droppedMarks = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u0309\u030a\u030b\u030c\u030f\u0311\u031b" +
	"\u0323\u0324\u0325\u0326\u0327\u0328\u032d\u032e\u0330\u0331"

type runeRange struct{ from, to rune }

// letters are the letterRanges in their order.
var letters = sync.OnceValue(func() []runeRange {
	var list []runeRange
	for field := range strings.FieldsSeq(letterRanges) {
		from, to, found := strings.Cut(field, "-")
		if !found {
			to = from
		}
		list = append(list, runeRange{hexRune(from), hexRune(to)})
	}
	return list
})

// hexRune reads a number of letterRanges; what is none is 0, which is no letter.
func hexRune(s string) rune {
	n, err := strconv.ParseInt(s, 16, 32)
	if err != nil {
		return 0
	}
	return rune(n)
}

// folds are the foldedPairs.
var folds = sync.OnceValue(func() map[rune]rune {
	m := map[rune]rune{}
	var from rune
	for _, r := range foldedPairs {
		switch {
		case r == '\n':
		case from == 0:
			from = r
		default:
			m[from], from = r, 0
		}
	}
	return m
})

// Between these there is nothing but letters that are indexed as they are: the
// ideographs, of which Chinese text consists.
const (
	firstIdeograph = 0x3400
	lastIdeograph  = 0x9fff
)

// isIndexLetter reports whether the index takes r, beyond ASCII, as a part of a word.
func isIndexLetter(r rune) bool {
	if firstIdeograph <= r && r <= lastIdeograph {
		return r < 0x4dc0 || r > 0x4dff // the hexagrams between them
	}
	list := letters()
	i := sort.Search(len(list), func(i int) bool { return list[i].to >= r })
	return i < len(list) && list[i].from <= r
}

// foldIndexLetter gives the letter, beyond ASCII, that stands in the index for r.
func foldIndexLetter(r rune) rune {
	if firstIdeograph <= r && r <= lastIdeograph {
		return r
	}
	if to, ok := folds()[r]; ok {
		return to
	}
	return r
}
