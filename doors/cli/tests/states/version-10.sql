BEGIN TRANSACTION;
CREATE TABLE answers(
        value BLOB NOT NULL,
        call TEXT NOT NULL,
        role TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        PRIMARY KEY(value, call)
     ) STRICT, WITHOUT ROWID;
CREATE TABLE approvals(
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        digest TEXT NOT NULL,
        tool TEXT NOT NULL,
        role TEXT NOT NULL,
        preview TEXT NOT NULL,
        reason TEXT NOT NULL,
        state TEXT NOT NULL CHECK(state IN ('pending', 'granted', 'declined', 'expired', 'consumed')),
        created_ms INTEGER NOT NULL,
        expires_ms INTEGER NOT NULL,
        decided_by TEXT,
        decided_ms INTEGER,
        told INTEGER NOT NULL DEFAULT 0
     , agent TEXT, condition TEXT, run TEXT, step TEXT, workspace TEXT, cut INTEGER NOT NULL DEFAULT 0, details TEXT, decided_in TEXT) STRICT;
INSERT INTO "approvals" VALUES(1,'b81ca8d994db','5a32c36f61f8d3b70b565b99fe015c489ee11a05f5263deada3fe2760bb7ff93','write_file','operator','{"path": "note.txt", "content": "forty-two", "mode": "create", "parents": false, "encoding": "utf-8"}','`write_file` modifies files, and no rule allows it','pending',1795536926482,1795623326482,NULL,NULL,0,NULL,'{"destructive":false,"effects":["modifies_files"],"path":{"under":["note.txt"]},"args":{"encoding":"utf-8","mode":"create","parents":false}}','a5d0d206cdb6','note','/srv/project',0,'{"version":1,"arguments":{"path":"note.txt","content":"forty-two","mode":"create","parents":false,"encoding":"utf-8"},"arguments_digest":"75f8ca44955d23f03f397cff30e534991304307fa468115f722db95df0ecb713","redacted":0,"workspace":{"root":"/srv/project","id":"a9a4cd3fee7119af"},"folder":null,"phase":null,"task":null,"resources":["path write note.txt"],"opens":[],"destroys":[],"digest":"5a32c36f61f8d3b70b565b99fe015c489ee11a05f5263deada3fe2760bb7ff93"}',NULL);
CREATE TABLE artifacts(
        hash BLOB PRIMARY KEY NOT NULL,
        about TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        created_ms INTEGER NOT NULL
     ) STRICT;
CREATE TABLE backups(
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        call_id TEXT NOT NULL,
        path TEXT NOT NULL,
        digest TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        mode INTEGER NOT NULL,
        time_ms INTEGER NOT NULL
     ) STRICT;
CREATE TABLE cache(
        action_key TEXT PRIMARY KEY NOT NULL,
        value BLOB NOT NULL,
        handle TEXT NOT NULL,
        tool TEXT NOT NULL,
        version INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        used_ms INTEGER NOT NULL
     , bound BLOB) STRICT;
CREATE TABLE events(
        number INTEGER PRIMARY KEY,
        session TEXT NOT NULL REFERENCES sessions(id),
        sequence INTEGER NOT NULL,
        body TEXT NOT NULL,
        hash BLOB NOT NULL,
        UNIQUE(session, sequence)
     ) STRICT;
INSERT INTO "events" VALUES(1,'1a20e57351b-bf7c44ad1991cae0',1,'{"approval_id":null,"approved_by":null,"args_digest":"7aacca4cfc4111db347e043f41ef71be8e10602687e60c5295174fda6f932571","call_id":"44a2978b650813db","caller_type":"direct","chain_id":null,"chain_index":0,"decision":"allow","effects":[],"elapsed_ms":16.062,"kind":"call","layer":"defaults","output_digest":"208b9e9b3744f068834af7d2b44256481ed653b24faed57b47a4abbf9fcf2856","policy_generation":"0b41a9e4f17d809f19b29882e6d731785bafe2df0c1c43e491780c4df4eb6471","reason":"`calculate` reaches nothing that asks","recorded_ms":1795536926030,"resources":[],"role":"operator","rule":null,"status":"success","time_ms":1795536926013,"tool":"calculate","version":1}',X'B7122640B305472FED2929BADA9A78B9A5702CEC61D3098A516BF7504199DB39');
INSERT INTO "events" VALUES(2,'1a20e573590-d776a7e4fa61ed11',1,'{"approval_id":null,"approved_by":null,"args_digest":"ce93e9e9f7b63415e5398d7240cb3c2719c9191cae7ab245c4cf6b30b45dc955","call_id":"14c0a1670ff80b07","caller_type":"direct","chain_id":null,"chain_index":0,"decision":"allow","effects":[],"elapsed_ms":11.906,"kind":"call","layer":"defaults","output_digest":"a96dea34552cb23d091fdbf59bd648037b802a3c8ee8413dcade1d5351153909","policy_generation":"0b41a9e4f17d809f19b29882e6d731785bafe2df0c1c43e491780c4df4eb6471","reason":"`statistics` reaches nothing that asks","recorded_ms":1795536926146,"resources":[],"role":"worker_math","rule":null,"status":"success","time_ms":1795536926134,"tool":"statistics","version":1}',X'29A2364FB16B56CC4EF296616D3DFC8D674CEE9FF04B4191EEBD815C9BC5FC7E');
INSERT INTO "events" VALUES(3,'4d12bf1a9f1f',1,'{"approval_id":null,"approved_by":null,"args_digest":"60a581c35a561a14808114820a316f52da1f886602965e763e12fbd99c411f5a","call_id":"ff1d714753ac51a3","caller_type":"chain","chain_id":"4d12bf1a9f1f","chain_index":0,"decision":"allow","effects":[],"elapsed_ms":15.228,"kind":"call","layer":"defaults","output_digest":"dd209029aa36f015186f1948bea439c90461af5d712e888c1a7e7d357798738a","policy_generation":"0b41a9e4f17d809f19b29882e6d731785bafe2df0c1c43e491780c4df4eb6471","reason":"`calculate` reaches nothing that asks","recorded_ms":1795536926318,"resources":[],"role":"operator","rule":null,"status":"success","step":"half","time_ms":1795536926302,"tool":"calculate","version":1,"wave":0}',X'D566039E193444CD02EC4B436C56A9D4971CEBD9A319BAB946C336103E5718AD');
INSERT INTO "events" VALUES(4,'4d12bf1a9f1f',2,'{"attempt":1,"elapsed_ms":15.499,"end":{"$value":"b3:516affc631cef3482bca47884944d8af7721a176bc7f70202fc03df75501ef1b"},"kind":"settled","output_digest":"dd209029aa36f015186f1948bea439c90461af5d712e888c1a7e7d357798738a","recorded_ms":1795536926318,"status":"done","step":"half","tool":"calculate","version":1}',X'4ED0497A57BFE239A768282654072C0187DD74D482B1EFBC4D7E25D783C09D44');
INSERT INTO "events" VALUES(5,'4d12bf1a9f1f',3,'{"approval_id":null,"approved_by":null,"args_digest":"9122396e26ac4df5d64b5731541dd635066a436b6099cc7b66a9be50290fd8d9","call_id":"9d54eb00d2f6cdb8","caller_type":"chain","chain_id":"4d12bf1a9f1f","chain_index":1,"decision":"allow","effects":[],"elapsed_ms":0.332,"kind":"call","layer":"defaults","output_digest":"00368a672e7e89eefc16a7cbbd71f9670d7ef38ca79763e4e12e4daa87c6a1be","policy_generation":"0b41a9e4f17d809f19b29882e6d731785bafe2df0c1c43e491780c4df4eb6471","reason":"`calculate` reaches nothing that asks","recorded_ms":1795536926318,"resources":[],"role":"operator","rule":null,"status":"success","step":"twice","time_ms":1795536926318,"tool":"calculate","version":1,"wave":1}',X'403117F0B07FD93B59ACB1913828E637B81610C6AEC5011BA2A606DB86ED13C7');
INSERT INTO "events" VALUES(6,'4d12bf1a9f1f',4,'{"attempt":1,"elapsed_ms":0.476,"end":{"$value":"b3:26af5c8285f3737cf6aea4de04ee00574f04292739ba484974d7d5095094bd70"},"kind":"settled","output_digest":"00368a672e7e89eefc16a7cbbd71f9670d7ef38ca79763e4e12e4daa87c6a1be","recorded_ms":1795536926318,"status":"done","step":"twice","tool":"calculate","version":1}',X'448321EBCB437B17D834A6F633B3A3261E7D187795CBEC0C7CE3ECF29DE11E49');
INSERT INTO "events" VALUES(7,'4d12bf1a9f1f',5,'{"approval_id":null,"approved_by":"caller-yes","args_digest":"44ae5c773352e85fd1e1a139d72d0082208f4e9479cde1c825d7de5400df00f9","before":{"files":[{"after":"1aa6b60ecfe99bae25e0602fb5ca84847da8dc20ddbf1918f6e3e155cdf2e84c","before":null,"path":"done.txt"}],"output":{"bytes_written":9,"created":true,"path":"done.txt","size":9}},"call_id":"3b8c64ba524149cd","caller_type":"chain","chain_id":"4d12bf1a9f1f","chain_index":2,"decision":"ask","effects":["modifies_files"],"kind":"intent","layer":"defaults","policy_generation":"0b41a9e4f17d809f19b29882e6d731785bafe2df0c1c43e491780c4df4eb6471","reason":"`write_file` modifies files, and no rule allows it","recorded_ms":1795536926319,"resources":["path:write:done.txt"],"role":"operator","rule":null,"status":"started","step":"note","time_ms":1795536926319,"tool":"write_file","version":1,"wave":2}',X'7473A372B006D899AAF8FD30749200D536724DE678B4A52FD4C9DD4C36B71B2A');
INSERT INTO "events" VALUES(8,'4d12bf1a9f1f',6,'{"approval_id":null,"approved_by":"caller-yes","args_digest":"44ae5c773352e85fd1e1a139d72d0082208f4e9479cde1c825d7de5400df00f9","call_id":"3b8c64ba524149cd","caller_type":"chain","chain_id":"4d12bf1a9f1f","chain_index":2,"decision":"ask","effects":["modifies_files"],"elapsed_ms":0.971,"kind":"call","layer":"defaults","output_digest":"2032f4661503c071d2b30db151f31241c14fc6999b4a7247f7fa22f712c68c73","policy_generation":"0b41a9e4f17d809f19b29882e6d731785bafe2df0c1c43e491780c4df4eb6471","reason":"`write_file` modifies files, and no rule allows it","recorded_ms":1795536926320,"resources":["path:write:done.txt"],"role":"operator","rule":null,"status":"success","step":"note","time_ms":1795536926319,"tool":"write_file","version":1,"wave":2}',X'41E24818BC014F859F60ECA223E5F92E00AC76228B986D3C03813771D658D8CD');
INSERT INTO "events" VALUES(9,'4d12bf1a9f1f',7,'{"attempt":1,"elapsed_ms":1.082,"end":{"$value":"b3:ea5bdee9752cab554e4a36ab9add839a2839d6a297afd837bd543a47debab393"},"kind":"settled","output_digest":"2032f4661503c071d2b30db151f31241c14fc6999b4a7247f7fa22f712c68c73","recorded_ms":1795536926320,"status":"done","step":"note","tool":"write_file","version":1}',X'F106EE278D0D91A74FF63B5AD3CB1213D2313191FB60BA5D5DCFB05E792B11B5');
INSERT INTO "events" VALUES(10,'4d12bf1a9f1f',8,'{"approval_id":null,"approved_by":null,"args_digest":"cd6784c38fe2afdcb41e5a51ac2d3ac612ae7165ecd62d44512882eb845a1f23","call_id":"d9c3de73d18bc5e2","caller_type":"chain","chain_id":"4d12bf1a9f1f","chain_index":3,"decision":"allow","effects":[],"elapsed_ms":0.135,"kind":"call","layer":"defaults","output_digest":"c5449056e21c78725650b0d0480b8bffa9057b8297b8a89ea88cfd4fc3fb71ba","policy_generation":"0b41a9e4f17d809f19b29882e6d731785bafe2df0c1c43e491780c4df4eb6471","reason":"`calculate` reaches nothing that asks","recorded_ms":1795536926320,"resources":[],"role":"operator","rule":null,"status":"success","step":"end","time_ms":1795536926320,"tool":"calculate","version":1,"wave":3}',X'A3A09A56DF31D51E8CB7E10DAE5B5610A2BF9DC1DD4D06229648DFAD62B9E665');
INSERT INTO "events" VALUES(11,'4d12bf1a9f1f',9,'{"attempt":1,"elapsed_ms":0.233,"end":{"$value":"b3:c3aa3695ad2900afc89463918f41a76f96fff2ec67a2581f19ef4b180a379639"},"kind":"settled","output_digest":"c5449056e21c78725650b0d0480b8bffa9057b8297b8a89ea88cfd4fc3fb71ba","recorded_ms":1795536926320,"status":"done","step":"end","tool":"calculate","version":1}',X'28CFD5457D63A842A6A09EBD6F94C3440F38FB86791F4BB2ECAFEAEC5737AB33');
INSERT INTO "events" VALUES(12,'4d12bf1a9f1f',10,'{"barrier":false,"caller_type":"chain","chain_id":"4d12bf1a9f1f","elapsed_ms":23.742,"fallback_reason":null,"fallback_to_seq":false,"kind":"chain","mode_requested":"dep","mode_used":"dep","outputs":{"$value":"b3:b0417517608928dcc416d37438602c58ca3ddacc5489bc9e35e08207ff57d270"},"parallel_mutations_enabled":false,"plan":"small","plan_digest":"2be755faf0d71fe5e4a62ea5757ff3b4439f6d2a3f4c4e2e4a4b329703205946","recorded_ms":1795536926326,"result_digest":"b54e95404d6f9d6792b957d91ad55fa4eb11c77ed927baf22442cccb68a8ab07","role":"operator","status":"success","step_status":[{"call_id":"ff1d714753ac51a3","cause":null,"defaults_used":[],"id":"half","output_digest":"dd209029aa36f015186f1948bea439c90461af5d712e888c1a7e7d357798738a","real_status":"done","status":"done","tool":"calculate","wave":0},{"call_id":"9d54eb00d2f6cdb8","cause":null,"defaults_used":[],"id":"twice","output_digest":"00368a672e7e89eefc16a7cbbd71f9670d7ef38ca79763e4e12e4daa87c6a1be","real_status":"done","status":"done","tool":"calculate","wave":1},{"call_id":"3b8c64ba524149cd","cause":null,"defaults_used":[],"id":"note","output_digest":"2032f4661503c071d2b30db151f31241c14fc6999b4a7247f7fa22f712c68c73","real_status":"done","status":"done","tool":"write_file","wave":2},{"call_id":"d9c3de73d18bc5e2","cause":null,"defaults_used":[],"id":"end","output_digest":"c5449056e21c78725650b0d0480b8bffa9057b8297b8a89ea88cfd4fc3fb71ba","real_status":"done","status":"done","tool":"calculate","wave":3}],"steps":4,"success":true,"threads":2,"time_ms":1795536926302,"tools":["calculate","calculate","write_file","calculate"],"wave_timeline":[{"elapsed_ms":15.499,"fallback_to_seq":false,"mode_used":"dep","parallel_mutations_enabled":false,"tools":["calculate"],"wave_index":0},{"elapsed_ms":0.476,"fallback_to_seq":false,"mode_used":"dep","parallel_mutations_enabled":false,"tools":["calculate"],"wave_index":1},{"elapsed_ms":1.082,"fallback_to_seq":false,"mode_used":"dep","parallel_mutations_enabled":false,"tools":["write_file"],"wave_index":2},{"elapsed_ms":0.233,"fallback_to_seq":false,"mode_used":"dep","parallel_mutations_enabled":false,"tools":["calculate"],"wave_index":3}],"waves":4}',X'9A507F061480B1A2062176E6FA04E1763AAB5056EE1878880E30B97A3B9F1CFA');
INSERT INTO "events" VALUES(13,'4d12bf1a9f1f',11,'{"kind":"state","recorded_ms":1795536926326,"state":"succeeded"}',X'E8ADE7532AAE871932A2D77EA6356CAFC6F6B3A49FD8C80C9E633C38273D960F');
INSERT INTO "events" VALUES(14,'a5d0d206cdb6',1,'{"approval_id":null,"approved_by":null,"args_digest":"60a581c35a561a14808114820a316f52da1f886602965e763e12fbd99c411f5a","call_id":"2af25ab33f9b152a","caller_type":"chain","chain_id":"a5d0d206cdb6","chain_index":0,"decision":"allow","effects":[],"elapsed_ms":9.509,"kind":"call","layer":"defaults","output_digest":"dd209029aa36f015186f1948bea439c90461af5d712e888c1a7e7d357798738a","policy_generation":"0b41a9e4f17d809f19b29882e6d731785bafe2df0c1c43e491780c4df4eb6471","reason":"`calculate` reaches nothing that asks","recorded_ms":1795536926467,"resources":[],"role":"operator","rule":null,"status":"success","step":"half","time_ms":1795536926458,"tool":"calculate","version":1,"wave":0}',X'B237817E11D01B4A8CE5FA6D83854C8D77327D3EB78BBDCFAE33D5FD2BCC26BE');
INSERT INTO "events" VALUES(15,'a5d0d206cdb6',2,'{"attempt":1,"elapsed_ms":11.156,"end":{"$value":"b3:3894dadc3dc022bf3672836eb91a159ed3c314da2298e29256680536593c7007"},"kind":"settled","output_digest":"dd209029aa36f015186f1948bea439c90461af5d712e888c1a7e7d357798738a","recorded_ms":1795536926469,"status":"done","step":"half","tool":"calculate","version":1}',X'6904FE674C681AB8444BC51DAEE54356C05403FB7D74E9002AE58551B88A4C28');
INSERT INTO "events" VALUES(16,'a5d0d206cdb6',3,'{"approval_id":null,"approved_by":null,"args_digest":"9122396e26ac4df5d64b5731541dd635066a436b6099cc7b66a9be50290fd8d9","call_id":"c929d46cbee5913f","caller_type":"chain","chain_id":"a5d0d206cdb6","chain_index":1,"decision":"allow","effects":[],"elapsed_ms":5.674,"kind":"call","layer":"defaults","output_digest":"00368a672e7e89eefc16a7cbbd71f9670d7ef38ca79763e4e12e4daa87c6a1be","policy_generation":"0b41a9e4f17d809f19b29882e6d731785bafe2df0c1c43e491780c4df4eb6471","reason":"`calculate` reaches nothing that asks","recorded_ms":1795536926475,"resources":[],"role":"operator","rule":null,"status":"success","step":"twice","time_ms":1795536926469,"tool":"calculate","version":1,"wave":1}',X'89B3ADFC6449A98889F3CB4A9ED8E8D483D35BDA37847BFA5D25786FAB91FFCD');
INSERT INTO "events" VALUES(17,'a5d0d206cdb6',4,'{"attempt":1,"elapsed_ms":6.411,"end":{"$value":"b3:9791b83552d4ed418ba8882054da0cdc24b2ed84dfc47991f6761a0ef867a9f7"},"kind":"settled","output_digest":"00368a672e7e89eefc16a7cbbd71f9670d7ef38ca79763e4e12e4daa87c6a1be","recorded_ms":1795536926475,"status":"done","step":"twice","tool":"calculate","version":1}',X'EFF94FFC32512F6C87975DA8624CFC88A9E641EF7D4A3FFB3E4AD9FEAF1CF75F');
INSERT INTO "events" VALUES(18,'a5d0d206cdb6',5,'{"approval_id":"b81ca8d994db","approved_by":null,"args_digest":"75f8ca44955d23f03f397cff30e534991304307fa468115f722db95df0ecb713","call_id":"67614e263e300d54","caller_type":"chain","chain_id":"a5d0d206cdb6","chain_index":2,"decision":"ask","effects":["modifies_files"],"elapsed_ms":7.187,"kind":"call","layer":"defaults","policy_generation":"0b41a9e4f17d809f19b29882e6d731785bafe2df0c1c43e491780c4df4eb6471","reason":"`write_file` modifies files, and no rule allows it","recorded_ms":1795536926483,"resources":["path:write:note.txt"],"role":"operator","rule":null,"status":"pending_approval","step":"note","time_ms":1795536926476,"tool":"write_file","version":1,"wave":2}',X'668141F6AC8C2281F1C2D62618B3579349708E1BE9BC7CB0E2013AB064D973AA');
INSERT INTO "events" VALUES(19,'a5d0d206cdb6',6,'{"barrier":false,"caller_type":"chain","chain_id":"a5d0d206cdb6","elapsed_ms":27.203,"fallback_reason":null,"fallback_to_seq":false,"kind":"chain","mode_requested":"dep","mode_used":"dep","outputs":{"$value":"b3:f050fbde7b3b3ecd9e451abd6cd1540b3a0527662c29e52c204d330c7eff5b45"},"parallel_mutations_enabled":false,"plan":"small","plan_digest":"2be755faf0d71fe5e4a62ea5757ff3b4439f6d2a3f4c4e2e4a4b329703205946","recorded_ms":1795536926484,"result_digest":"35b0232cd37e0ea5064f15665e0615aac5d6d97899ce5d5fcf5aa0bae38cd107","role":"operator","status":"suspended","step_status":[{"call_id":"2af25ab33f9b152a","cause":null,"defaults_used":[],"id":"half","output_digest":"dd209029aa36f015186f1948bea439c90461af5d712e888c1a7e7d357798738a","real_status":"done","status":"done","tool":"calculate","wave":0},{"call_id":"c929d46cbee5913f","cause":null,"defaults_used":[],"id":"twice","output_digest":"00368a672e7e89eefc16a7cbbd71f9670d7ef38ca79763e4e12e4daa87c6a1be","real_status":"done","status":"done","tool":"calculate","wave":1},{"call_id":"67614e263e300d54","cause":null,"defaults_used":[],"id":"note","output_digest":null,"real_status":"pending_approval","status":"pending_approval","tool":"write_file","wave":2},{"call_id":null,"cause":null,"defaults_used":[],"id":"end","output_digest":null,"real_status":"not_run","status":"not_run","tool":"calculate","wave":3}],"steps":4,"success":false,"threads":2,"time_ms":1795536926456,"tools":["calculate","calculate","write_file","calculate"],"wave_timeline":[{"elapsed_ms":11.156,"fallback_to_seq":false,"mode_used":"dep","parallel_mutations_enabled":false,"tools":["calculate"],"wave_index":0},{"elapsed_ms":6.411,"fallback_to_seq":false,"mode_used":"dep","parallel_mutations_enabled":false,"tools":["calculate"],"wave_index":1},{"elapsed_ms":0,"fallback_to_seq":false,"mode_used":"dep","parallel_mutations_enabled":false,"tools":["write_file"],"wave_index":2},{"elapsed_ms":0,"fallback_to_seq":false,"mode_used":"dep","parallel_mutations_enabled":false,"tools":["calculate"],"wave_index":3}],"waves":4}',X'CCE504BCC326033407C514FBBAF8F2E26E6F4560C256CE0099D3CFAE276C6468');
INSERT INTO "events" VALUES(20,'a5d0d206cdb6',7,'{"kind":"state","recorded_ms":1795536926484,"state":"suspended"}',X'14C343AF6AAE88DEE288E80D80B9C198B8FBB269AD63E6D9F2D57A98DD34A975');
INSERT INTO "events" VALUES(21,'1a20e57377b-0ed97664e9a7e22d',1,'{"approval_id":null,"approved_by":null,"args_digest":"d4655323919b287619a786a0c4a6c9a449d80baa0e6d5d2bcdaaeb5901d3189d","call_id":"90b498d7981f90d0","caller_type":"direct","chain_id":null,"chain_index":0,"decision":"allow","effects":[],"elapsed_ms":24.39,"kind":"call","layer":"defaults","output_digest":"22f2368b67e0e7f1b425e3362c91e1e32d3d4099defe19bea40f8d05b86c38c7","policy_generation":"0b41a9e4f17d809f19b29882e6d731785bafe2df0c1c43e491780c4df4eb6471","reason":"`escalate` reaches nothing that asks","recorded_ms":1795536926666,"resources":[],"role":"operator","rule":null,"status":"success","time_ms":1795536926642,"tool":"escalate","version":1}',X'946E9774041A4836B2DAD39E53FB24FE48E893061FE5213047222BA9AC88EFC5');
CREATE TABLE heads(
        number INTEGER PRIMARY KEY,
        session TEXT NOT NULL REFERENCES sessions(id),
        sequence INTEGER NOT NULL,
        hash BLOB NOT NULL,
        link BLOB NOT NULL
     ) STRICT;
INSERT INTO "heads" VALUES(1,'1a20e57351b-bf7c44ad1991cae0',0,X'29E12C99B50763EFBD1C573CC9B6BAC09EB90EC4F83C8CF0D0E6370D2F61FA1D',X'29EC88DD1578203C4061BC268E045C2F53A30FDC9D54F91C402CF20567D2D5E2');
INSERT INTO "heads" VALUES(2,'1a20e57351b-bf7c44ad1991cae0',1,X'B7122640B305472FED2929BADA9A78B9A5702CEC61D3098A516BF7504199DB39',X'5902776D7ED7CDFBF936050E6CF3E2EB073B34BFA452D2A4F27AEACBFEA440EA');
INSERT INTO "heads" VALUES(3,'1a20e573590-d776a7e4fa61ed11',0,X'955B621D88D35345FD912DB0ED222BED8BA31A469290378EE825BA10F72ADBBA',X'D5F7C2C83A2DEB3822A6C12336C6F57EF5B1BB042B4846B80273BBDBFC32CD51');
INSERT INTO "heads" VALUES(4,'1a20e573590-d776a7e4fa61ed11',1,X'29A2364FB16B56CC4EF296616D3DFC8D674CEE9FF04B4191EEBD815C9BC5FC7E',X'D77AD5A8929B3700CF5CA006309FE218E60DB237AE73850863E72C891EC01546');
INSERT INTO "heads" VALUES(5,'4d12bf1a9f1f',0,X'40F472A7D8B2A462A9AB41EAEA0B101BC9D1274BE6F152AE627C61FF236B2BFF',X'686EB3F9F2F7B19F5E7FBF4BADF4ED4398CA21F7512B619542EEC306DEF2B460');
INSERT INTO "heads" VALUES(6,'4d12bf1a9f1f',11,X'E8ADE7532AAE871932A2D77EA6356CAFC6F6B3A49FD8C80C9E633C38273D960F',X'FD4DE1086E764624735F753D93FDFCAFDCE7241F6C6168A0E8353A1CBEE23890');
INSERT INTO "heads" VALUES(7,'a5d0d206cdb6',0,X'CFD9ED47E8ABE6A4228BF601139E3B2C896A662A686E11E348233980C63BA559',X'432832B53F505D4FEF9B6BDBBAA79822571990F4258DBFD8B285F1B33B696BEF');
INSERT INTO "heads" VALUES(8,'a5d0d206cdb6',7,X'14C343AF6AAE88DEE288E80D80B9C198B8FBB269AD63E6D9F2D57A98DD34A975',X'A1B1868D494B2DCC97680AF43BE17714883E5B30A386582855A7A369E01C6514');
INSERT INTO "heads" VALUES(9,'1a20e57377b-0ed97664e9a7e22d',0,X'9B88AF1015BD80EF3E94A372831F2B5D548DAFDA796E926FBE4794CD66D0F18C',X'6D13A95E7B17BBA199C63F344BBC0460772C2EE5743662EB995069B748D58FE5');
INSERT INTO "heads" VALUES(10,'1a20e57377b-0ed97664e9a7e22d',1,X'946E9774041A4836B2DAD39E53FB24FE48E893061FE5213047222BA9AC88EFC5',X'6FB6BD03F04ADA0661977EAB22572FC0B5B41F47D2CAD4DCE8DC0BE2C6C549FC');
CREATE TABLE memory(
        key TEXT PRIMARY KEY NOT NULL,
        value TEXT NOT NULL,
        changed_ms INTEGER NOT NULL
     ) STRICT, WITHOUT ROWID;
CREATE TABLE notices(
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        call_id TEXT NOT NULL,
        tool TEXT,
        role TEXT NOT NULL,
        agent TEXT,
        text TEXT NOT NULL,
        time_ms INTEGER NOT NULL
     ) STRICT;
INSERT INTO "notices" VALUES(1,'ee7d0a6999a2','question','90b498d7981f90d0',NULL,'operator',NULL,'Which table holds the prices?',1795536926666);
CREATE TABLE parts(
        part BLOB NOT NULL,
        value BLOB NOT NULL,
        PRIMARY KEY(part, value)
     ) STRICT, WITHOUT ROWID;
CREATE TABLE runs(
        id TEXT PRIMARY KEY NOT NULL REFERENCES sessions(id),
        plan_id TEXT NOT NULL,
        plan_digest TEXT NOT NULL,
        plan TEXT NOT NULL,
        inputs TEXT NOT NULL,
        role TEXT NOT NULL,
        who TEXT NOT NULL,
        seed TEXT NOT NULL,
        build TEXT NOT NULL,
        profile TEXT NOT NULL,
        state TEXT NOT NULL CHECK(state IN ('running', 'suspended', 'needs_decision', 'succeeded', 'failed', 'cancelled', 'rejected')),
        created_ms INTEGER NOT NULL,
        changed_ms INTEGER NOT NULL,
        lease_owner TEXT,
        lease_fence INTEGER NOT NULL,
        lease_until_ms INTEGER NOT NULL,
        lease_up_ms INTEGER NOT NULL,
        pinned INTEGER NOT NULL DEFAULT 0,
        collected INTEGER NOT NULL DEFAULT 0
     , cancel_ms INTEGER, parent TEXT) STRICT;
INSERT INTO "runs" VALUES('4d12bf1a9f1f','small','2be755faf0d71fe5e4a62ea5757ff3b4439f6d2a3f4c4e2e4a4b329703205946','{"$value":"b3:e8b44a466acb9f56cf9118c328df63bd67bf49d1e9f1f90a7ca381ada2962bd8"}','{"$value":"b3:8d04275c83870891e6b6f52c75f7204a54009a9274b3a2cebc4d0677d0d0419a"}','operator','{"workspace":{"id":"a9a4cd3fee7119af","root":"/srv/project"}}','42','mathchain 0.1.0','x86_64 linux avx2 fma','succeeded',1795536926289,1795536926326,NULL,1,0,0,0,0,NULL,NULL);
INSERT INTO "runs" VALUES('a5d0d206cdb6','small','2be755faf0d71fe5e4a62ea5757ff3b4439f6d2a3f4c4e2e4a4b329703205946','{"$value":"b3:e8b44a466acb9f56cf9118c328df63bd67bf49d1e9f1f90a7ca381ada2962bd8"}','{"$value":"b3:7a82caaee2923dba6971c970fa5c747bf4931c94086a60752a5a372cc99b6399"}','operator','{"workspace":{"id":"a9a4cd3fee7119af","root":"/srv/project"}}','42','mathchain 0.1.0','x86_64 linux avx2 fma','suspended',1795536926449,1795536926484,NULL,1,0,0,0,0,NULL,NULL);
CREATE TABLE sessions(
        id TEXT PRIMARY KEY NOT NULL,
        opened_ms INTEGER NOT NULL,
        header TEXT NOT NULL
     ) STRICT;
INSERT INTO "sessions" VALUES('1a20e57351b-bf7c44ad1991cae0',1795536925979,'{"opened_ms":1795536925979,"session":"1a20e57351b-bf7c44ad1991cae0"}');
INSERT INTO "sessions" VALUES('1a20e573590-d776a7e4fa61ed11',1795536926096,'{"opened_ms":1795536926096,"session":"1a20e573590-d776a7e4fa61ed11"}');
INSERT INTO "sessions" VALUES('4d12bf1a9f1f',1795536926289,'{"build":"mathchain 0.1.0","inputs":{"$value":"b3:8d04275c83870891e6b6f52c75f7204a54009a9274b3a2cebc4d0677d0d0419a"},"kind":"run","opened_ms":1795536926289,"plan":{"$value":"b3:e8b44a466acb9f56cf9118c328df63bd67bf49d1e9f1f90a7ca381ada2962bd8"},"plan_digest":"2be755faf0d71fe5e4a62ea5757ff3b4439f6d2a3f4c4e2e4a4b329703205946","plan_id":"small","profile":"x86_64 linux avx2 fma","role":"operator","seed":"42","session":"4d12bf1a9f1f","who":{"workspace":{"id":"a9a4cd3fee7119af","root":"/srv/project"}}}');
INSERT INTO "sessions" VALUES('a5d0d206cdb6',1795536926449,'{"build":"mathchain 0.1.0","inputs":{"$value":"b3:7a82caaee2923dba6971c970fa5c747bf4931c94086a60752a5a372cc99b6399"},"kind":"run","opened_ms":1795536926449,"plan":{"$value":"b3:e8b44a466acb9f56cf9118c328df63bd67bf49d1e9f1f90a7ca381ada2962bd8"},"plan_digest":"2be755faf0d71fe5e4a62ea5757ff3b4439f6d2a3f4c4e2e4a4b329703205946","plan_id":"small","profile":"x86_64 linux avx2 fma","role":"operator","seed":"42","session":"a5d0d206cdb6","who":{"workspace":{"id":"a9a4cd3fee7119af","root":"/srv/project"}}}');
INSERT INTO "sessions" VALUES('1a20e57377b-0ed97664e9a7e22d',1795536926587,'{"opened_ms":1795536926587,"session":"1a20e57377b-0ed97664e9a7e22d"}');
CREATE TABLE uses(
        value BLOB NOT NULL,
        run TEXT NOT NULL,
        PRIMARY KEY(value, run)
     ) STRICT, WITHOUT ROWID;
INSERT INTO "uses" VALUES(X'26AF5C8285F3737CF6AEA4DE04EE00574F04292739BA484974D7D5095094BD70','4d12bf1a9f1f');
INSERT INTO "uses" VALUES(X'3894DADC3DC022BF3672836EB91A159ED3C314DA2298E29256680536593C7007','a5d0d206cdb6');
INSERT INTO "uses" VALUES(X'516AFFC631CEF3482BCA47884944D8AF7721A176BC7F70202FC03DF75501EF1B','4d12bf1a9f1f');
INSERT INTO "uses" VALUES(X'7A82CAAEE2923DBA6971C970FA5C747BF4931C94086A60752A5A372CC99B6399','a5d0d206cdb6');
INSERT INTO "uses" VALUES(X'8D04275C83870891E6B6F52C75F7204A54009A9274B3A2CEBC4D0677D0D0419A','4d12bf1a9f1f');
INSERT INTO "uses" VALUES(X'9791B83552D4ED418BA8882054DA0CDC24B2ED84DFC47991F6761A0EF867A9F7','a5d0d206cdb6');
INSERT INTO "uses" VALUES(X'B0417517608928DCC416D37438602C58CA3DDACC5489BC9E35E08207FF57D270','4d12bf1a9f1f');
INSERT INTO "uses" VALUES(X'C3AA3695AD2900AFC89463918F41A76F96FFF2EC67A2581F19EF4B180A379639','4d12bf1a9f1f');
INSERT INTO "uses" VALUES(X'E8B44A466ACB9F56CF9118C328DF63BD67BF49D1E9F1F90A7CA381ADA2962BD8','4d12bf1a9f1f');
INSERT INTO "uses" VALUES(X'E8B44A466ACB9F56CF9118C328DF63BD67BF49D1E9F1F90A7CA381ADA2962BD8','a5d0d206cdb6');
INSERT INTO "uses" VALUES(X'EA5BDEE9752CAB554E4A36AB9ADD839A2839D6A297AFD837BD543A47DEBAB393','4d12bf1a9f1f');
INSERT INTO "uses" VALUES(X'F050FBDE7B3B3ECD9E451ABD6CD1540B3A0527662C29E52C204D330C7EFF5B45','a5d0d206cdb6');
CREATE TABLE vals(
        hash BLOB PRIMARY KEY NOT NULL,
        body TEXT NOT NULL,
        created_ms INTEGER NOT NULL
     ) STRICT;
INSERT INTO "vals" VALUES(X'E8B44A466ACB9F56CF9118C328DF63BD67BF49D1E9F1F90A7CA381ADA2962BD8','{"plan":{"version":1,"id":"small","inputs":{"name":{"type":"string","default":"note.txt"}},"steps":[{"id":"half","tool":"calculate","args":{"expression":"21 / 2"}},{"id":"twice","tool":"calculate","args":{"expression":"x * 4","variables":{"x":{"$lit":{"$ref":"half.value"}}}}},{"id":"note","tool":"write_file","args":{"path":{"$lit":{"$ref":"inputs.name"}},"content":"forty-two"},"after":"twice"},{"id":"end","tool":"calculate","args":{"expression":"40 + 2"},"after":"note"}],"outputs":{"half":{"$lit":{"$ref":"half.value"}},"twice":{"$lit":{"$ref":"twice.value"}},"path":{"$lit":{"$ref":"note.path"}},"end":{"$lit":{"$ref":"end.value"}}}},"mode":"dep","barrier":false,"parallel_mutations":false,"on_error":"fail_chain","tools":{"calculate":1,"write_file":1},"costs":{}}',1795536926289);
INSERT INTO "vals" VALUES(X'8D04275C83870891E6B6F52C75F7204A54009A9274B3A2CEBC4D0677D0D0419A','{"name":"done.txt"}',1795536926289);
INSERT INTO "vals" VALUES(X'26AF5C8285F3737CF6AEA4DE04EE00574F04292739BA484974D7D5095094BD70','{"status":"done","output_digest":"00368a672e7e89eefc16a7cbbd71f9670d7ef38ca79763e4e12e4daa87c6a1be","output":{"value":42.0,"kind":"double","exact":true,"error_bound":"0"},"warnings":[],"defaults_used":[],"metadata":{"tool":"calculate","version":1,"call_id":"9d54eb00d2f6cdb8","elapsed_ms":0.332,"role":"operator","decision":"allow","layer":"defaults","audit":{"session":"4d12bf1a9f1f","sequence":3,"hash":"403117f0b07fd93b59acb1913828e637b81610c6aec5011ba2a606db86ed13c7","head":"4d12bf1a9f1f:3:403117f0b07fd93b59acb1913828e637b81610c6aec5011ba2a606db86ed13c7"}}}',1795536926319);
INSERT INTO "vals" VALUES(X'516AFFC631CEF3482BCA47884944D8AF7721A176BC7F70202FC03DF75501EF1B','{"status":"done","output_digest":"dd209029aa36f015186f1948bea439c90461af5d712e888c1a7e7d357798738a","output":{"value":10.5,"kind":"double","exact":false,"error_bound":"9.4e-16"},"warnings":[],"defaults_used":[],"metadata":{"tool":"calculate","version":1,"call_id":"ff1d714753ac51a3","elapsed_ms":15.228,"role":"operator","decision":"allow","layer":"defaults","audit":{"session":"4d12bf1a9f1f","sequence":1,"hash":"d566039e193444cd02ec4b436c56a9d4971cebd9a319bab946c336103e5718ad","head":"4d12bf1a9f1f:1:d566039e193444cd02ec4b436c56a9d4971cebd9a319bab946c336103e5718ad"}}}',1795536926319);
INSERT INTO "vals" VALUES(X'EA5BDEE9752CAB554E4A36AB9ADD839A2839D6A297AFD837BD543A47DEBAB393','{"status":"done","output_digest":"2032f4661503c071d2b30db151f31241c14fc6999b4a7247f7fa22f712c68c73","output":{"path":"done.txt","bytes_written":9,"size":9,"created":true},"warnings":[],"defaults_used":[],"metadata":{"tool":"write_file","version":1,"call_id":"3b8c64ba524149cd","elapsed_ms":0.971,"role":"operator","decision":"ask","layer":"defaults","approved_by":"caller-yes","audit":{"session":"4d12bf1a9f1f","sequence":6,"hash":"41e24818bc014f859f60eca223e5f92e00ac76228b986d3c03813771d658d8cd","head":"4d12bf1a9f1f:6:41e24818bc014f859f60eca223e5f92e00ac76228b986d3c03813771d658d8cd"}}}',1795536926320);
INSERT INTO "vals" VALUES(X'C3AA3695AD2900AFC89463918F41A76F96FFF2EC67A2581F19EF4B180A379639','{"status":"done","output_digest":"c5449056e21c78725650b0d0480b8bffa9057b8297b8a89ea88cfd4fc3fb71ba","output":{"value":42,"kind":"integer","exact":true,"error_bound":"0"},"warnings":[],"defaults_used":[],"metadata":{"tool":"calculate","version":1,"call_id":"d9c3de73d18bc5e2","elapsed_ms":0.135,"role":"operator","decision":"allow","layer":"defaults","audit":{"session":"4d12bf1a9f1f","sequence":8,"hash":"a3a09a56df31d51e8cb7e10dae5b5610a2bf9dc1dd4d06229648dfad62b9e665","head":"4d12bf1a9f1f:8:a3a09a56df31d51e8cb7e10dae5b5610a2bf9dc1dd4d06229648dfad62b9e665"}}}',1795536926326);
INSERT INTO "vals" VALUES(X'B0417517608928DCC416D37438602C58CA3DDACC5489BC9E35E08207FF57D270','{"half":10.5,"twice":42.0,"path":"done.txt","end":42}',1795536926326);
INSERT INTO "vals" VALUES(X'7A82CAAEE2923DBA6971C970FA5C747BF4931C94086A60752A5A372CC99B6399','{"name":"note.txt"}',1795536926449);
INSERT INTO "vals" VALUES(X'3894DADC3DC022BF3672836EB91A159ED3C314DA2298E29256680536593C7007','{"status":"done","output_digest":"dd209029aa36f015186f1948bea439c90461af5d712e888c1a7e7d357798738a","output":{"value":10.5,"kind":"double","exact":false,"error_bound":"9.4e-16"},"warnings":[],"defaults_used":[],"metadata":{"tool":"calculate","version":1,"call_id":"2af25ab33f9b152a","elapsed_ms":9.509,"role":"operator","decision":"allow","layer":"defaults","audit":{"session":"a5d0d206cdb6","sequence":1,"hash":"b237817e11d01b4a8ce5fa6d83854c8d77327d3eb78bbdcfae33d5fd2bcc26be","head":"a5d0d206cdb6:1:b237817e11d01b4a8ce5fa6d83854c8d77327d3eb78bbdcfae33d5fd2bcc26be"}}}',1795536926474);
INSERT INTO "vals" VALUES(X'9791B83552D4ED418BA8882054DA0CDC24B2ED84DFC47991F6761A0EF867A9F7','{"status":"done","output_digest":"00368a672e7e89eefc16a7cbbd71f9670d7ef38ca79763e4e12e4daa87c6a1be","output":{"value":42.0,"kind":"double","exact":true,"error_bound":"0"},"warnings":[],"defaults_used":[],"metadata":{"tool":"calculate","version":1,"call_id":"c929d46cbee5913f","elapsed_ms":5.674,"role":"operator","decision":"allow","layer":"defaults","audit":{"session":"a5d0d206cdb6","sequence":3,"hash":"89b3adfc6449a98889f3cb4a9ed8e8d483d35bda37847bfa5d25786fab91ffcd","head":"a5d0d206cdb6:3:89b3adfc6449a98889f3cb4a9ed8e8d483d35bda37847bfa5d25786fab91ffcd"}}}',1795536926481);
INSERT INTO "vals" VALUES(X'F050FBDE7B3B3ECD9E451ABD6CD1540B3A0527662C29E52C204D330C7EFF5B45','{"half":10.5,"twice":42.0}',1795536926484);
CREATE TRIGGER sessions_stay BEFORE UPDATE ON sessions BEGIN SELECT RAISE(ABORT, 'sessions are append-only'); END;
CREATE TRIGGER sessions_kept BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'sessions are append-only'); END;
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_kept BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER heads_stay BEFORE UPDATE ON heads BEGIN SELECT RAISE(ABORT, 'heads are append-only'); END;
CREATE TRIGGER heads_kept BEFORE DELETE ON heads BEGIN SELECT RAISE(ABORT, 'heads are append-only'); END;
CREATE UNIQUE INDEX approvals_open ON approvals(digest) WHERE state IN ('pending', 'granted');
CREATE INDEX approvals_of_call ON approvals(digest, number);
CREATE TRIGGER notices_stay BEFORE UPDATE ON notices BEGIN SELECT RAISE(ABORT, 'notices are append-only'); END;
CREATE TRIGGER notices_kept BEFORE DELETE ON notices BEGIN SELECT RAISE(ABORT, 'notices are append-only'); END;
CREATE INDEX backups_of_path ON backups(path, number);
CREATE INDEX runs_by_time ON runs(created_ms);
CREATE TRIGGER runs_kept BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'runs are kept'); END;
CREATE INDEX runs_by_parent ON runs(parent) WHERE parent IS NOT NULL;
COMMIT;
PRAGMA application_id = 1835234164;
PRAGMA user_version = 10;
