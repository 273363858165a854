//! Answers in the form of the services, written for these tests.

pub(super) const WIKIPEDIA_SEARCH: &str = r#"{"batchcomplete":true,"continue":{"gsroffset":2,"continue":"gsroffset||"},"query":{"pages":[
 {"pageid":30654,"ns":0,"title":"Twin prime","index":2,"extract":"A twin prime is a prime that is two away from another.","contentmodel":"wikitext","pagelanguage":"en","touched":"2026-01-02T03:04:05Z","lastrevid":1,"length":100,"fullurl":"https://en.wikipedia.org/wiki/Twin_prime","editurl":"https://en.wikipedia.org/w/index.php?title=Twin_prime&action=edit","canonicalurl":"https://en.wikipedia.org/wiki/Twin_prime"},
 {"pageid":23666,"ns":0,"title":"Prime number","index":1,"extract":"A prime number is a natural number with two divisors.","fullurl":"https://en.wikipedia.org/wiki/Prime_number"}]}}"#;

pub(super) const WIKIPEDIA_NOTHING: &str = r#"{"batchcomplete":true}"#;

pub(super) const WIKIPEDIA_BEGINNING: &str = r#"{"batchcomplete":true,"query":{"normalized":[{"fromencoded":false,"from":"euler's number","to":"Euler's number"}],"redirects":[{"from":"Euler's number","to":"E (mathematical constant)"}],"pages":[
 {"pageid":9633,"ns":0,"title":"E (mathematical constant)","extract":"The number e is a mathematical constant.","fullurl":"https://en.wikipedia.org/wiki/E_(mathematical_constant)","categories":[{"ns":14,"title":"Category:Mathematical constants"},{"ns":14,"title":"Category:Leonhard Euler"}]}]}}"#;

pub(super) const WIKIPEDIA_WHOLE: &str = r#"{"batchcomplete":true,"query":{"pages":[
 {"pageid":30654,"ns":0,"title":"Twin prime","extract":"A twin prime is a prime.\n\n== History ==\nLong.\n\n=== Proofs ===\nNone.","fullurl":"https://en.wikipedia.org/wiki/Twin_prime","categories":[{"ns":14,"title":"Category:Prime numbers"}]}]}}"#;

pub(super) const WIKIPEDIA_MISSING: &str =
    r#"{"batchcomplete":true,"query":{"pages":[{"ns":0,"title":"Nope","missing":true}]}}"#;

pub(super) const WIKIPEDIA_ERROR: &str = r#"{"error":{"code":"badvalue","info":"Unrecognized value for parameter \"action\".","docref":"See https://en.wikipedia.org/w/api.php"}}"#;

pub(super) const ARXIV: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <link href="http://arxiv.org/api/query?search_query%3Dall%3Aattention" rel="self" type="application/atom+xml"/>
  <title type="html">ArXiv Query: search_query=all:attention&amp;id_list=&amp;start=0&amp;max_results=1</title>
  <id>http://arxiv.org/api/cHxbiOdZaP56ODnBPIenZhzg5f8</id>
  <updated>2026-01-02T00:00:00-05:00</updated>
  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">4321</opensearch:totalResults>
  <opensearch:startIndex xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">0</opensearch:startIndex>
  <entry>
    <id>http://arxiv.org/abs/1706.03762v7</id>
    <updated>2023-08-02T00:41:18Z</updated>
    <published>2017-06-12T17:57:34Z</published>
    <title>Attention Is
  All You Need</title>
    <summary>  We propose a new
simple network architecture.
</summary>
    <author><name>Ashish Vaswani</name></author>
    <author><name>Noam Shazeer</name><arxiv:affiliation xmlns:arxiv="http://arxiv.org/schemas/atom">Somewhere</arxiv:affiliation></author>
    <arxiv:comment xmlns:arxiv="http://arxiv.org/schemas/atom">15 pages, 5 figures</arxiv:comment>
    <link href="http://arxiv.org/abs/1706.03762v7" rel="alternate" type="text/html"/>
    <link title="pdf" href="http://arxiv.org/pdf/1706.03762v7" rel="related" type="application/pdf"/>
    <arxiv:primary_category xmlns:arxiv="http://arxiv.org/schemas/atom" term="cs.CL" scheme="http://arxiv.org/schemas/atom"/>
    <category term="cs.CL" scheme="http://arxiv.org/schemas/atom"/>
    <category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>
  </entry>
</feed>"#;

pub(super) const ARXIV_ERROR: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title>
<entry><id>http://arxiv.org/api/errors#incorrect_id_format</id><title>Error</title><summary>incorrect id format for 1234.12345</summary>
<link href="http://arxiv.org/api/errors" rel="alternate" type="text/html"/><author><name>arXiv api core</name></author></entry></feed>"#;

pub(super) const CROSSREF: &str = r#"{"status":"ok","message-type":"work-list","message-version":"1.0.0","message":{"facets":{},"total-results":1234,"items":[
 {"DOI":"10.1038/nature14539","URL":"https://doi.org/10.1038/nature14539","type":"journal-article","title":["Deep learning"],"container-title":["Nature"],
  "abstract":"<jats:p>Deep learning allows <jats:italic>models</jats:italic> &amp; more.</jats:p>","is-referenced-by-count":50000,
  "author":[{"given":"Yann","family":"LeCun","sequence":"first","affiliation":[]},{"given":"Yoshua","family":"Bengio","sequence":"additional","affiliation":[]}],
  "issued":{"date-parts":[[2015,5,27]]}}],"items-per-page":1,"query":{"start-index":0,"search-terms":"deep learning"}}}"#;

pub(super) const OPEN_LIBRARY: &str = r#"{"numFound":42,"start":0,"numFoundExact":true,"num_found":42,"documentation_url":"https://openlibrary.org/dev/docs/api/search","q":"principia mathematica","offset":null,"docs":[
 {"key":"/works/OL1432084W","title":"Principia Mathematica","author_name":["Alfred North Whitehead","Bertrand Russell"],"first_publish_year":1910,"isbn":["9781603864374"],
  "publisher":["University Press"],"language":["eng"],"subject":["Mathematics"],"number_of_pages_median":666,"edition_count":30}]}"#;

pub(super) const SEARXNG: &str = r#"{"query":"primes","number_of_results":0,"results":[
 {"url":"https://a.example/one","title":"One","content":"First <b>hit</b>","engine":"x","parsed_url":["https","a.example","/one","","",""],"score":1.5,"category":"general"},
 {"url":"https://a.example/one","title":"One again","content":"The same page"},
 {"url":"ftp://a.example/file","title":"No page","content":""},
 {"url":"https://b.example/two","title":"Two &amp; more","content":null}],"answers":[],"corrections":[],"infoboxes":[],"suggestions":[],"unresponsive_engines":[]}"#;

pub(super) const BRAVE: &str = r#"{"query":{"original":"primes","more_results_available":false},"mixed":{"type":"mixed"},"type":"search","web":{"type":"search","results":[
 {"title":"One","url":"https://a.example/one","is_source_local":false,"description":"First <strong>hit</strong>","page_age":"2025-01-01T00:00:00","profile":{"name":"A"},"language":"en"},
 {"title":"Two","url":"https://b.example/two","description":"Second"}]}}"#;

pub(super) const BRAVE_NOTHING: &str = r#"{"query":{"original":"primes"},"type":"search"}"#;

pub(super) const GUIDE: &str = "<html><head><title>Guide</title></head><body><nav>Menu</nav><h1>Start</h1><p>Read the <a href=\"manual\">manual</a>.</p></body></html>";

pub(super) const ARTICLE: &str = "<html><head><title>Prime number</title></head><body><main><p>Every natural number is a product of prime numbers. Yes.</p></main></body></html>";
