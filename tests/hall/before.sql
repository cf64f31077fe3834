-- A room with its votes, as 435ff24a wrote it: .dump of its file. The driver's key: 772cc6a028a6dc624c1d7279842aa7a7
BEGIN TRANSACTION;
CREATE TABLE answers (
    room text not null references rooms on delete cascade, scene integer not null,
    answer text not null, primary key (room, scene)
);
INSERT INTO "answers" VALUES('DHLXTT',2,'{"value":98.1519103050232,"text":{"en":"98.2%","zh":"98.2%"},"address":"encoder/1/self_attention/weights"}');
CREATE TABLE asked (
    room text not null references rooms on delete cascade, scene integer not null,
    place integer not null, since real not null, primary key (room, scene)
);
INSERT INTO "asked" VALUES('DHLXTT',3,1,1.79584290585161828997e+09);
INSERT INTO "asked" VALUES('DHLXTT',2,2,1.79584290592528247835e+09);
CREATE TABLE pictures (
    room text not null references rooms on delete cascade, scene integer not null,
    version text not null, body blob not null, primary key (room, scene)
);
INSERT INTO "pictures" VALUES('DHLXTT',1,'d6bfb65da26d',X'89504E470D0A1A0A0000000000000000000000000000000000000000');
CREATE TABLE prepared (
    room text not null references rooms on delete cascade, scene integer not null,
    told text not null, primary key (room, scene)
);
INSERT INTO "prepared" VALUES('DHLXTT',1,'{"title":{"en":"What does “it” look at?","zh":"“it”看向哪个词？"},"text":{"en":"The animal didn''t cross the street because it was too tired.","zh":"The animal didn''t cross the street because it was too tired."},"notes":{"en":"Let them choose first. The weight is animal.","zh":"先让大家选。答案是 animal。"},"glossed":[["The",""],["animal","动物"],["didn''t","没有"],["cross","穿过"],["the",""],["street","马路"],["because","因为"],["it",""],["was",""],["too","太"],["tired","累"]],"sentence":"The animal didn''t cross the street because it was too tired","words":["The","animal","didn''t","cross","the","street","because","it","was","too","tired"]}');
CREATE TABLE proposals (
    number integer primary key autoincrement,
    room text not null references rooms on delete cascade, voter text not null,
    client text not null, kind text not null, text text not null, sent real not null
);
INSERT INTO "proposals" VALUES(1,'DHLXTT','voter-0','client','sentence','the cat sleeps',1.79584290592497062685e+09);
CREATE TABLE rooms (
    code text primary key, lecture text not null, language text not null,
    scene integer not null default 0, black integer not null default 0,
    revision integer not null default 1, handed integer not null default 0,
    lock blob not null, secret blob not null,
    opened real not null, seen real not null, started real,
    short integer not null default 0, shown integer, played integer
);
INSERT INTO "rooms" VALUES('DHLXTT','name = "hall"
title.en = "Attention in 15 minutes"
title.zh = "十五分钟讲清注意力"

[[scene]]
name = "begin"
link = "translate"
title.en = "A sentence becomes a translation"
title.zh = "一句话变成译文"
text.en = "Everything you will see is computed now, on this machine."
text.zh = "你将看到的一切，都是此刻在这台机器上算出来的。"
notes.en = """
Welcome. Ask who has used a translator today.

Say that every number is real."""
notes.zh = """
欢迎大家。问一问今天谁用过翻译软件。

说明每个数都是真的。"""
minutes = 1

[[scene]]
name = "it"
link = "attention?layer=2&head=1&query=8"
title.en = "What does “it” look at?"
title.zh = "“it”看向哪个词？"
text.en = "The animal didn''t cross the street because it was too tired."
text.zh = "The animal didn''t cross the street because it was too tired."
notes.en = "Let them choose first. The weight is {truth}."
notes.zh = "先让大家选。答案是 {truth}。"
minutes = 3
[scene.question]
kind = "word"
prompt.en = "Which word does “it” look at most, in this head?"
prompt.zh = "在这个头里，“it”最看重哪个词？"
truth = { address = "encoder/1/self_attention/weights", at = { head = 0, query = "it" }, read = "argmax", axis = "key" }

[[scene]]
name = "share"
link = "attention?layer=2&head=1&query=8"
title.en = "How much?"
title.zh = "有多少？"
text.en = "One row of weights always adds up to 100 %."
text.zh = "一行权重之和总是 100%。"
minutes = 2
[scene.question]
kind = "number"
prompt.en = "How much of its attention does “it” give to “animal”?"
prompt.zh = "“it”把多少注意力给了“animal”？"
unit.en = "%"
unit.zh = "%"
truth = { address = "encoder/1/self_attention/weights", at = { head = 0, query = "it", key = "animal" }, form = "percent" }

[[scene]]
name = "wide"
link = "attention?layer=2&head=1&query=8"
title.en = "Large or small?"
title.zh = "大还是小？"
minutes = 2
[scene.question]
kind = "choice"
prompt.en = "How sure is this head?"
prompt.zh = "这个头有多确定？"
options = [
  { en = "Not sure: below 10 %", zh = "不确定：低于 10%" },
  { en = "Rather: 10 to 50 %", zh = "比较确定：10% 到 50%" },
  { en = "Very: above 50 %", zh = "非常确定：高于 50%" },
]
truth = { address = "encoder/1/self_attention/weights", at = { head = 0, query = "it", key = "animal" }, bounds = [0.1, 0.5] }
','en',2,0,5,0,X'573CB45C6EB41510B427470FC840CF515BC907208BAA84E0C7413520B48C3C9C',X'2AA54AA8C8C2C5C80ACFAC06B22C419E',1.79584290385846662521e+09,1.79584290385846662521e+09,1.79584284585149168969e+09,0,2,NULL);
CREATE TABLE votes (
    room text not null references rooms on delete cascade, scene integer not null,
    voter text not null, value text not null, client text not null default '',
    primary key (room, scene, voter)
) without rowid;
INSERT INTO "votes" VALUES('DHLXTT',3,'voter-0','0','client');
INSERT INTO "votes" VALUES('DHLXTT',3,'voter-1','1','client');
INSERT INTO "votes" VALUES('DHLXTT',3,'voter-2','1','client');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('proposals',1);
COMMIT;
