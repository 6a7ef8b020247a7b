/*
 * The script inside a flame graph. Every box is <g><title/><rect/>[<text/>]</g> under #frames, in
 * preorder; x and width in the file are those of the whole graph, and all else is worked out from
 * them. Names only ever travel as text.
 */
(function () {
	"use strict";
	var NS = "http://www.w3.org/2000/svg";
	var MATCH = "#e600e6";
	var NEAR = 2e-4; /* coordinates are written with four decimals */

	var frames, details, matched, unzoom, search, ignore;
	var boxes = []; /* {g, rect, text, name, info, x, w, y, fill} */
	var left, full, root, upward, charWidth, kind;
	var zoomed = 0, term = "", caseless = false;

	function byId(id) {
		return document.getElementById(id);
	}

	function number(node, name) {
		return parseFloat(node.getAttribute(name));
	}

	function readBoxes() {
		for (var g = frames.firstElementChild; g; g = g.nextElementSibling) {
			var info = g.querySelector("title").textContent;
			var rect = g.querySelector("rect");
			boxes.push({
				g: g, rect: rect, text: g.querySelector("text"), info: info,
				name: info.slice(0, info.lastIndexOf(" (")),
				x: number(rect, "x"), w: number(rect, "width"), y: number(rect, "y"),
				fill: rect.getAttribute("fill")
			});
			g.box = boxes.length - 1;
		}
		root = boxes[0];
		left = root.x;
		full = root.w;
	}

	/* The average width of a character in this font on this screen. */
	function measure() {
		var probe = "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ::0123456789";
		var text = document.createElementNS(NS, "text");
		text.textContent = probe;
		frames.appendChild(text);
		var width = 0;
		try {
			width = text.getComputedTextLength();
		} catch (e) {
			width = 0;
		}
		frames.removeChild(text);
		charWidth = (width || number(frames, "data-char") * probe.length) / probe.length;
	}

	function label(box, x, w) {
		var room = Math.floor((w - 4) / charWidth), shown = "";
		if (room < 3 && !box.text)
			return;
		if (room >= 3) {
			var chars = Array.from(box.name);
			shown = chars.length <= room ? box.name : chars.slice(0, room - 2).join("") + "..";
		}
		if (!box.text) {
			box.text = document.createElementNS(NS, "text");
			box.text.setAttribute("y", box.y + number(frames, "data-baseline"));
			box.g.appendChild(box.text);
		}
		box.text.setAttribute("x", x + 2);
		box.text.textContent = shown;
	}

	function place(box, x, w, dim) {
		box.g.style.display = "";
		box.g.style.opacity = dim ? 0.5 : "";
		box.rect.setAttribute("x", x);
		box.rect.setAttribute("width", Math.max(0, w));
		label(box, x, w);
	}

	/* Is a nearer to the root than b? */
	function above(a, b) {
		return upward ? a.y > b.y + NEAR : a.y < b.y - NEAR;
	}

	function zoom(to) {
		var target = boxes[to], scale = full / target.w;
		zoomed = to;
		for (var i = 0; i < boxes.length; i++) {
			var b = boxes[i];
			if (above(b, target)) {
				if (b.x <= target.x + NEAR && b.x + b.w >= target.x + target.w - NEAR)
					place(b, left, full, true);
				else
					b.g.style.display = "none";
			} else if (b.x >= target.x - NEAR && b.x + b.w <= target.x + target.w + NEAR) {
				place(b, left + (b.x - target.x) * scale, b.w * scale, false);
			} else {
				b.g.style.display = "none";
			}
		}
		unzoom.style.display = to ? "" : "none";
	}

	/* Marks what matches. Boxes come in preorder, so one pass adds up what is covered without
	 * counting a box again that lies over one already counted. */
	function mark() {
		var re = null, sum = 0, end = -Infinity, hits = 0;
		if (term) {
			try {
				re = new RegExp(term, caseless ? "i" : "");
			} catch (e) {
				matched.textContent = "Not a regular expression";
			}
		}
		for (var i = 0; i < boxes.length; i++) {
			var b = boxes[i], hit = re !== null && i > 0 && re.test(b.name);
			b.rect.setAttribute("fill", hit ? MATCH : b.fill);
			if (!hit)
				continue;
			hits++;
			if (b.x >= end - NEAR) {
				sum += b.w;
				end = b.x + b.w;
			}
		}
		if (re)
			matched.textContent = "Matched: " + (100 * sum / full).toFixed(1) + "%";
		else if (!term)
			matched.textContent = "";
		matched.setAttribute("data-hits", hits);
		search.textContent = term ? "Reset Search" : "Search";
		ignore.style.opacity = caseless ? 1 : "";
	}

	function ask() {
		var answer = prompt("Search for a name (regular expression)" +
			(caseless ? ", case ignored" : "") + "\nCtrl-I: ignore case", term);
		if (answer === null)
			return;
		term = answer;
		mark();
		save();
	}

	function toggleSearch() {
		if (!term)
			return ask();
		term = "";
		mark();
		save();
	}

	function toggleCase() {
		caseless = !caseless;
		mark();
		save();
	}

	function zoomTo(i) {
		zoom(i);
		save();
	}

	/* --- state in the URL: x and y of the box zoomed to, s the search term, i case ignored --- */

	function save() {
		var parts = [];
		if (zoomed)
			parts.push("x=" + boxes[zoomed].x, "y=" + boxes[zoomed].y);
		if (term)
			parts.push("s=" + encodeURIComponent(term));
		if (caseless)
			parts.push("i=1");
		try {
			history.replaceState(null, "", "#" + parts.join("&"));
		} catch (e) {
			location.replace("#" + parts.join("&"));
		}
	}

	function restore() {
		var query = new URLSearchParams(location.hash.slice(1) || location.search.slice(1));
		var x = parseFloat(query.get("x")), y = parseFloat(query.get("y")), to = 0;
		for (var i = 1; i < boxes.length && !to; i++)
			if (Math.abs(boxes[i].x - x) < 0.05 && Math.abs(boxes[i].y - y) < 0.05)
				to = i;
		term = query.get("s") || "";
		caseless = query.get("i") === "1";
		if (to || zoomed)
			zoom(to);
		mark();
	}

	/* --- events -------------------------------------------------------------------------- */

	function boxOf(node) {
		while (node && node !== frames && node.box === undefined)
			node = node.parentNode;
		return node && node.box !== undefined ? node.box : -1;
	}

	function show(e) {
		var i = boxOf(e.target);
		details.textContent = i < 0 ? " " : kind + " " + boxes[i].info;
	}

	function onKey(e) {
		if (e.key === "F3" || ((e.ctrlKey || e.metaKey) && e.key === "f")) {
			e.preventDefault();
			ask();
		} else if ((e.ctrlKey || e.metaKey) && e.key === "i") {
			e.preventDefault();
			toggleCase();
		}
	}

	function start() {
		frames = byId("frames");
		details = byId("details");
		matched = byId("matched");
		unzoom = byId("unzoom");
		search = byId("search");
		ignore = byId("ignorecase");
		kind = frames.getAttribute("data-nametype");
		upward = frames.getAttribute("data-icicle") !== "1";
		if (!frames.firstElementChild)
			return;
		readBoxes();
		measure();
		frames.addEventListener("click", function (e) {
			var i = boxOf(e.target);
			if (i >= 0)
				zoomTo(i);
		});
		frames.addEventListener("mouseover", show);
		frames.addEventListener("mouseout", function () {
			details.textContent = " ";
		});
		unzoom.addEventListener("click", function () {
			zoomTo(0);
		});
		search.addEventListener("click", toggleSearch);
		ignore.addEventListener("click", toggleCase);
		window.addEventListener("keydown", onKey);
		window.addEventListener("hashchange", restore);
		search.style.display = ignore.style.display = "";
		for (var i = 0; i < boxes.length; i++)
			label(boxes[i], boxes[i].x, boxes[i].w);
		restore();
	}

	if (document.readyState === "loading")
		window.addEventListener("DOMContentLoaded", start);
	else
		start();
})();
