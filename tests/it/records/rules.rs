use serde_json::{Value, json};

use super::{json_of, read};

const REDIRECT: &str = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AUZ";

fn found(body: &Value) -> Value {
    json_of(&read(body.to_string().as_bytes()))
}

/// This member of each source.
fn each(records: &Value, name: &str) -> Vec<Value> {
    records["sources"].as_array().expect("a list").iter().map(|source| source[name].clone()).collect()
}

fn response(items: &[Value]) -> Value {
    json!({"object": "response", "status": "completed", "output": items})
}

fn message(text: &str, annotations: &Value) -> Value {
    json!({"type": "message", "content": [{"type": "output_text", "text": text, "annotations": annotations}]})
}

fn gemini(grounding: &Value) -> Value {
    json!({"candidates": [{"content": {"parts": [{"text": "x"}]}, "groundingMetadata": grounding}]})
}

#[test]
fn every_key_is_there_and_null_when_unknown() {
    let records = found(&json!({"text": "a [9]", "sources": [null]}));
    let source = json!({"position": 1, "provider": "citewire", "url": null, "deep_url": null, "source_domain": null, "source_domain_kind": null, "title": null,
        "snippet": null, "source_type": null, "rank": null, "score": null, "document_id": null, "chunk_id": null,
        "filepath": null, "page": null, "media_type": null, "date": null, "redirect": false, "raw": null});
    let wanted = json!({"provider": "citewire", "complete": true, "error": null, "tools_invoked": null, "text": "a [9]",
        "sources": [source], "cited": [], "shown": [1], "unresolved": ["[9]"], "unread": [], "claims": []});
    assert_eq!(records, wanted);
}

#[test]
fn the_object_is_untouched_and_a_redirect_alone_is_flagged() {
    let chunk = json!({"web": {"uri": REDIRECT, "title": "News of the day"}, "novelty": {"deep": [1, null]}});
    let records = found(&gemini(&json!({"groundingChunks": [chunk, {"web": {"uri": "https://x.example/"}}]})));
    assert_eq!(records["sources"][0]["raw"], chunk);
    assert_eq!(each(&records, "redirect"), [true, false]);
    assert_eq!(each(&records, "url"), [REDIRECT, "https://x.example/"]);
}

#[test]
fn the_domain_is_that_of_the_page_and_other_addresses_have_none() {
    let sources = json!([{"url": "https://www.news.example.co.uk:8443/a?b#c"}, {"url": "http://10.0.0.7/"},
        {"filepath": "a.pdf"}, {"url": "javascript:alert(1)"}, {"url": "https://Bücher.example/ä"}]);
    let records = found(&json!({"text": "a", "sources": sources}));
    assert_eq!(
        each(&records, "source_domain"),
        [json!("example.co.uk"), json!("10.0.0.7"), json!(null), json!(null), json!("xn--bcher-kva.example")]
    );
    // The address is as it was written; one that must not be followed is in `raw` alone.
    assert_eq!(each(&records, "url")[3..], [json!(null), json!("https://Bücher.example/ä")]);
    assert_eq!(records["sources"][3]["raw"]["url"], "javascript:alert(1)");
}

#[test]
fn results_come_first_and_the_lowest_rank_stays() {
    let results = json!([{"url": "https://x.example/a?utm_source=openai", "title": "A of the search", "snippet": "s"},
        {"url": "https://x.example/b", "title": "B"}, {"url": "https://X.example/a#top"}]);
    let annotations = json!([
        {"type": "url_citation", "start_index": 0, "end_index": 1, "url": "https://x.example/b", "title": "B"},
        {"type": "url_citation", "start_index": 2, "end_index": 3, "url": "https://x.example/c", "title": "C"}]);
    for kind in ["web_search", "web_search_preview", "web_search_call"] {
        let search = json!({"type": kind, "results": results});
        let records = found(&response(&[search, message("b c", &annotations)]));
        // Cited ones stand first; what the search says of a page comes before what cites it.
        assert_eq!(each(&records, "title"), ["B", "C", "A of the search"]);
        assert_eq!(each(&records, "rank"), [2, 2, 1]);
        assert_eq!((&records["sources"][0]["raw"], &records["sources"][1]["raw"]), (&results[1], &annotations[1]));
        assert_eq!(records["sources"][2]["snippet"], "s");
        assert_eq!((&records["cited"], &records["tools_invoked"]), (&json!([1, 2]), &json!(true)));
    }
}

#[test]
fn citations_count_wherever_they_stand() {
    let citation = |page: &str| json!({"type": "url_citation", "url": format!("https://x.example/{page}")});
    let mut beside = message("text", &json!([citation("a")]));
    beside["annotations"] = json!([citation("b"), citation("a")]);
    let records = found(&response(&[citation("first"), beside]));
    let pages = ["first", "a", "b"].map(|page| json!(format!("https://x.example/{page}")));
    assert_eq!(each(&records, "url"), pages);
    assert_eq!((&records["cited"], &records["shown"]), (&json!([]), &json!([1, 2, 3])));
    assert_eq!(each(&records, "rank"), [1, 2, 3]);
}

#[test]
fn tools_may_find_nothing() {
    let records = found(&response(&[json!({"type": "web_search_call", "results": []}), message("a", &json!([]))]));
    assert_eq!((&records["tools_invoked"], &records["sources"]), (&json!(true), &json!([])));
    let text = json!({"type": "web_search", "content": "1. Page: https://x.example/a."});
    let records = found(&response(&[text, message("a", &json!([]))]));
    assert_eq!(
        (each(&records, "title"), each(&records, "raw")),
        (vec![json!("Page")], vec![json!("1. Page: https://x.example/a.")])
    );
}

#[test]
fn every_list_of_sources_is_read_in_both_spellings() {
    let page = |name: &str| json!({"uri": format!("https://{name}.example/"), "title": name});
    let lists = [
        ["citations", "citations"],
        ["citedSources", "cited_sources"],
        ["groundingAttributions", "grounding_attributions"],
        ["supportingContent", "supporting_content"],
        ["sources", "sources"],
        ["groundingChunks", "grounding_chunks"],
        ["webSearchSources", "web_search_sources"],
        ["retrievalMetadata", "retrieval_metadata"],
    ];
    for name in lists.iter().flatten() {
        for entry in
            [page("flat"), json!({"web": page("flat")}), json!({"uri": REDIRECT, "sourceUrl": "https://flat.example/"})]
        {
            let records = found(&gemini(&json!({*name: [entry.clone(), page("second")]})));
            let urls = ["https://flat.example/", "https://second.example/"];
            assert_eq!(each(&records, "url"), urls, "{name}: {entry}");
            assert_eq!(each(&records, "raw"), [entry, page("second")], "{name}");
            assert_eq!(
                (each(&records, "rank"), each(&records, "redirect")),
                (vec![json!(1), json!(2)], vec![json!(false); 2])
            );
        }
    }
}

#[test]
fn a_support_may_have_an_address_of_its_own_and_the_retrieval_lists_under_any_name() {
    for [supports, indices, retrieval] in [
        ["groundingSupports", "groundingChunkIndices", "retrievalMetadata"],
        ["grounding_supports", "grounding_chunk_indices", "retrieval_metadata"],
    ] {
        let own = json!({"segment": {"startIndex": 0, "endIndex": 1}, "uri": "https://own.example/", "title": "Own"});
        let other =
            json!({"segment": {"startIndex": 0, "endIndex": 1}, "web": {"uri": "https://x.example/"}, indices: [0]});
        let metadata = json!({
            "groundingChunks": [{"web": {"uri": "https://x.example/", "title": "X"}}],
            supports: [own, other],
            retrieval: {"retrieved": [{"uri": "https://seen.example/"}], "googleSearchDynamicRetrievalScore": 0.9},
        });
        let records = found(&gemini(&metadata));
        let urls = ["https://x.example/", "https://own.example/", "https://seen.example/"];
        assert_eq!(each(&records, "url"), urls, "{supports}");
        assert_eq!(each(&records, "raw")[1..], [own, json!({"uri": "https://seen.example/"})], "{supports}");
        assert_eq!(records["cited"], json!([1, 2]), "{supports}");
    }
}

#[test]
fn citations_beside_the_metadata_are_merged_in() {
    let entry = json!({"startIndex": 0, "endIndex": 1, "uri": "https://x.example/a"});
    for [metadata, sources] in [["citationMetadata", "citations"], ["citation_metadata", "citation_sources"]] {
        let mut body = gemini(&json!({"groundingChunks": [{"web": {"uri": "https://x.example/a#b", "title": "A"}}]}));
        body["candidates"][0][metadata] = json!({sources: [entry, {"uri": "https://y.example/"}]});
        let records = found(&body);
        assert_eq!((each(&records, "title"), &records["cited"]), (vec![json!("A"), json!("y.example")], &json!([1])));
    }
}

#[test]
fn a_redirect_belongs_to_whom_its_neighbours_name() {
    for (web, domain, kind) in [
        (json!({"uri": REDIRECT, "domain": "rates.bank.example.net", "title": "Rates"}), "example.net", "named"),
        (json!({"uri": REDIRECT, "title": "www.bank.co.uk"}), "bank.co.uk", "named"),
        (json!({"uri": REDIRECT, "title": "report.pdf"}), "vertexaisearch.cloud.google.com", "redirector"),
        (json!({"uri": REDIRECT, "domain": "", "title": "Rates"}), "vertexaisearch.cloud.google.com", "redirector"),
        (
            json!({"uri": REDIRECT, "url": "https://a.b.example.org/x", "title": "www.bank.co.uk"}),
            "example.org",
            "page",
        ),
        (json!({"uri": "https://a.b.example.org/x"}), "example.org", "page"),
    ] {
        let records = found(&gemini(&json!({"groundingChunks": [{"web": web}]})));
        let source = &records["sources"][0];
        assert_eq!((&source["source_domain"], &source["source_domain_kind"]), (&json!(domain), &json!(kind)), "{web}");
    }
}

#[test]
fn a_redirect_without_title_has_the_name_of_the_page_that_it_leads_to() {
    for (web, title) in [
        (json!({"uri": REDIRECT, "url": "https://a.b.example.org/x/rates.pdf?a"}), "rates.pdf"),
        (json!({"uri": REDIRECT, "url": "https://a.b.example.org/x/rates.pdf", "title": "Rates"}), "Rates"),
        (json!({"uri": REDIRECT, "domain": "rates.bank.example.net"}), "example.net"),
        (json!({"uri": REDIRECT}), "vertexaisearch.cloud.google.com"),
    ] {
        let records = found(&gemini(&json!({"groundingChunks": [{"web": web}]})));
        assert_eq!(records["sources"][0]["title"], title, "{web}");
    }
    let mut records = read(gemini(&json!({"groundingChunks": [{"web": {"uri": REDIRECT}}]})).to_string().as_bytes());
    records.settle_redirect(0, &"https://a.example.org/x/rates%20now.pdf".parse().expect("an address"));
    assert_eq!(records.sources[0].title.as_deref(), Some("rates now.pdf"));
}

#[test]
fn the_page_behind_a_redirect_takes_its_place_and_the_redirect_stays_in_raw() {
    let through = "https://www.google.com/url?sa=t&q=https%3A%2F%2Fx.example%2Fa&utm=1";
    let annotations = json!([{"type": "url_citation", "start_index": 0, "end_index": 1, "url": through, "title": "X"},
        {"type": "url_citation", "start_index": 2, "end_index": 3, "url": "https://t.co/abc", "title": "Y"}]);
    let records = found(&response(&[json!({"type": "web_search_call"}), message("x y", &annotations)]));
    assert_eq!(each(&records, "url"), ["https://x.example/a", "https://t.co/abc"]);
    assert_eq!(each(&records, "source_domain"), ["x.example", "t.co"]);
    assert_eq!(each(&records, "redirect"), [false, true]);
    assert_eq!(records["sources"][0]["raw"]["url"], through);
}

#[test]
fn addresses_of_one_page_are_one_source_and_parameters_that_may_matter_count() {
    let one = [
        "https://x.example?a=1&b=2",
        "HTTPS://X.example/?a=1&b=2#top",
        "https://x.example/?utm_source=openai&a=1&b=2",
        "https://x.example/?a=1&fbclid=f&b=2&gclid=g&UTM_Medium=m",
    ];
    let others = [
        "https://x.example/?b=2&a=1",
        "https://x.example/?a=1&b=2&ref=r",
        "https://x.example/?a=1&b=2&source=s",
        "https://x.example/A?a=1&b=2",
        "http://x.example/?a=1&b=2",
    ];
    let citation = |url: &&str| json!({"type": "url_citation", "start_index": 0, "end_index": 1, "url": url});
    let annotations: Vec<Value> = one.iter().chain(&others).map(citation).collect();
    let records = found(&response(&[message("x", &json!(annotations))]));
    // The first mention is the source, as it was written.
    let kept: Vec<Value> = one.iter().take(1).chain(&others).map(|url| json!(url)).collect();
    assert_eq!(each(&records, "url"), kept);
    // Chunks of a numbered manifest would lose their numbers.
    let manifest: Vec<Value> = one.iter().map(|url| json!({"url": url})).collect();
    assert_eq!(each(&found(&json!({"text": "a [4]", "sources": manifest})), "position"), [1, 2, 3, 4]);
}

#[test]
fn a_redirect_that_is_settled_is_a_page_and_never_another_redirector() {
    let web = json!({"uri": REDIRECT, "title": "bank.example"});
    let mut records = read(gemini(&json!({"groundingChunks": [{"web": web}]})).to_string().as_bytes());
    let open: Vec<_> = records.open_redirects().map(|(at, url)| (at, url.as_str().to_owned())).collect();
    assert_eq!(open, [(0, REDIRECT.to_owned())]);
    records.settle_redirect(0, &"https://t.co/abc".parse().expect("an address"));
    assert!(records.sources[0].redirect);
    records.settle_redirect(0, &"https://www.rates.example.org/page".parse().expect("an address"));
    let source = &records.sources[0];
    assert_eq!((source.url.as_deref(), source.redirect), (Some("https://www.rates.example.org/page"), false));
    assert_eq!((source.source_domain.as_deref(), source.raw.to_value()), (Some("example.org"), json!({"web": web})));
    assert_eq!(records.open_redirects().count(), 0);
}

#[test]
fn the_second_step_takes_over_the_sources_and_is_not_scanned() {
    let body =
        json!({"text": "a [1] [7]", "sources": [{"url": "https://x.example/a"}, {"url": "https://x.example/b"}]});
    let grounded = read(body.to_string().as_bytes());
    let reshaped = grounded.clone().reshaped("{\"answer\": \"see [2] and https://y.example/\"}", true);
    assert_eq!(reshaped.text, "{\"answer\": \"see [2] and https://y.example/\"}");
    assert_eq!((&reshaped.sources, &reshaped.cited, &reshaped.shown), (&grounded.sources, &vec![1], &vec![1]));
    assert_eq!((reshaped.unresolved.len(), reshaped.complete), (0, true));
    assert!(!grounded.reshaped("cut", false).complete);
}

#[test]
fn cited_positions_stand_in_the_order_of_the_text_and_shown_ones_ascend() {
    let sources: Vec<Value> = (1..=3).map(|n| json!({"title": n.to_string()})).collect();
    let records = found(&json!({"text": "a [3] b [1, 3] `[2]`", "sources": sources}));
    assert_eq!((&records["cited"], &records["shown"]), (&json!([3, 1]), &json!([1, 3])));
    assert_eq!(records["text"], "a [3] b [1][3] `[2]`");
}

#[test]
fn the_provider_is_told_by_the_whole_of_a_stream_not_by_its_first_event() {
    let chunk = |delta: Value| format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}]}));
    let context = json!({"role": "assistant", "context": {"citations": [{"content": "c", "title": "A"}]}});
    let body = [json!({"role": "assistant"}), context, json!({"content": "a [doc1]"})].map(chunk).concat();
    let records = json_of(&read(body.as_bytes()));
    assert_eq!((&records["provider"], &records["complete"]), (&json!("azure-oyd"), &json!(false)));
    assert_eq!(records["sources"][0]["raw"], json!({"content": "c", "title": "A"}));
}

#[test]
fn an_error_in_the_middle_is_told_with_what_had_arrived() {
    let body = "data: {\"sources\":[{\"title\":\"A\"}]}\n\ndata: {\"delta\":\"a [1]\"}\n\n\
        data: {\"error\":{\"code\":\"boom\",\"message\":\"x\"}}\n\n";
    let records = json_of(&read(body.as_bytes()));
    assert_eq!(records["error"], json!({"code": "boom", "message": "x"}));
    assert_eq!((&records["complete"], &records["cited"]), (&json!(false), &json!([1])));
}

#[test]
fn a_source_of_every_kind_is_called_by_its_kind() {
    let chunks = json!([{"web": {"uri": "https://x.example/"}}, {"retrievedContext": {"uri": "gs://b/a.pdf"}},
        {"maps": {"uri": "https://maps.example/"}}, {"image": {"sourceUri": "https://i.example/"}}]);
    let records = found(&gemini(&json!({"groundingChunks": chunks})));
    assert_eq!(each(&records, "source_type"), ["web", "doc", "maps", "image"]);
    assert_eq!(each(&records, "url")[1], "gs://b/a.pdf");
    let body = json!({"model": "grok-4", "choices": [{"message": {"content": "a"}}], "citations": ["https://x.com/i/1", "https://y.example/"]});
    assert_eq!(each(&found(&body), "source_type"), ["x", "web"]);
    let citation =
        json!({"start": 0, "end": 1, "text": "a", "sources": [{"type": "tool", "id": "t:0", "tool_output": {"x": 1}}]});
    let body = json!({"id": "1", "finish_reason": "COMPLETE", "message": {"role": "assistant", "content": [{"type": "text", "text": "a"}], "citations": [citation]}});
    assert_eq!(each(&found(&body), "source_type"), ["tool"]);
}

/// The activity lost the list and `records` kept it, and a source that only the list named was counted as cited.
#[test]
fn a_list_of_references_at_the_end_goes_as_it_does_in_an_activity() {
    let sources = json!([{"title": "Leave", "url": "https://x.example/leave"}, {"title": "Travel", "url": "https://x.example/travel"}]);
    for list in [
        "\n\nReferences:\n[1]: https://x.example/leave \"Leave\"\n[2]: https://x.example/travel \"Travel\"",
        "\n\n[1]: https://x.example/leave \"Leave\"\n[2]: https://x.example/travel \"Travel\"",
        "\n\n## Sources\n\n- [1] Leave\n- [2] Travel\n",
    ] {
        let records = found(&json!({"text": format!("Leave is 30 days [1].{list}"), "sources": sources}));
        assert_eq!(records["text"], "Leave is 30 days [1].", "{list:?}");
        assert_eq!((&records["cited"], &records["shown"]), (&json!([1]), &json!([1])));
    }
    for text in ["Steps:\n\n[1] Open the valve\n[2] Close the valve", "Leave [1].\n\nReferences:\n[9] Elsewhere"] {
        assert_eq!(found(&json!({"text": text, "sources": sources}))["text"], text);
    }
}
