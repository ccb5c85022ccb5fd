package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// named is a name with its number.
type named struct {
	name   string
	number float64
}

// Numbers returns what a Numbers key gives each name: what the person wrote, and the
// default of what is not named.
func (c *Config) Numbers(name string) map[string]float64 {
	i, ok := index(name)
	if !ok || keys[i].Kind != Numbers {
		panic("config: " + name + " is not a Numbers key")
	}
	out := map[string]float64{}
	for _, n := range c.numbers(i) {
		out[n.name] = n.number
	}
	return out
}

// numbers gives the defaults of a key with the person's values over them.
func (c *Config) numbers(i int) []named {
	k := &keys[i]
	list, err := k.numbers(k.Default)
	if err != nil {
		panic("config: the default of " + k.Name + ": " + err.Error())
	}
	own, _ := k.numbers(c.values[i].text) // it was checked when it was taken
	return over(list, own)
}

// over gives a list with the numbers of another one in the place of its own.
func over(list, others []named) []named {
	for _, n := range others {
		if at := slices.IndexFunc(list, func(x named) bool { return x.name == n.name }); at >= 0 {
			list[at] = n
		} else {
			list = append(list, n)
		}
	}
	return list
}

// joined gives the one-line form of a project's numbers over those of all.
func (k *Key) joined(all, own string) string {
	a, _ := k.numbers(all) // both were checked
	b, _ := k.numbers(own)
	return k.numbersText(over(a, b))
}

// maxNumbers bounds how many names a person may give a number.
const maxNumbers = 100

// numbers reads the one-line form.
func (k *Key) numbers(text string) ([]named, error) {
	var list []named
	for _, item := range split(text) {
		name, number, found := strings.Cut(item, "=")
		if !found {
			return nil, fmt.Errorf("%q is not a name and a number, such as %q", item, k.sampleNumber())
		}
		n, err := k.number(strings.TrimSpace(name), strings.TrimSpace(number))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(x named) bool { return x.name == n.name }) {
			return nil, fmt.Errorf("%s is set twice; leave one of the two", n.name)
		}
		list = append(list, n)
	}
	if len(list) > maxNumbers {
		return nil, fmt.Errorf("it has %d names, and %d are allowed", len(list), maxNumbers)
	}
	return list, k.checkNumbers(list)
}

// number reads one value.
func (k *Key) number(name, text string) (named, error) {
	name = strings.ToLower(name)
	if len(k.Values) > 0 && !slices.Contains(k.Values, name) {
		return named{}, fmt.Errorf("%q is not one of %s%s", name, strings.Join(k.Values, ", "), didYouMean(name, k.Values))
	}
	if err := checkWord(name); err != nil {
		return named{}, err
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, k.Unit)), 64)
	if err != nil || !(x >= float64(k.Min) && x <= float64(k.Max)) {
		return named{}, fmt.Errorf("%s is %q, which is not a number from %d to %d", name, text, k.Min, k.Max)
	}
	return named{name, x}, nil
}

// checkNumbers refuses weights with which nothing could be found.
func (k *Key) checkNumbers(list []named) error {
	if k.Name != "search.weights" {
		return nil
	}
	counts := map[string]float64{"keyword": 1, "semantic": 1}
	for _, n := range list {
		if _, finds := counts[n.name]; finds {
			counts[n.name] = n.number
		}
	}
	if counts["keyword"]+counts["semantic"] == 0 {
		return fmt.Errorf("keyword and semantic cannot both be 0: by one of them memories are found")
	}
	return nil
}

// numbersFrom reads an object of settings.json and gives its one-line form.
func (k *Key) numbersFrom(object map[string]any) (string, error) {
	var items []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		text := ""
		switch v := object[name].(type) {
		case json.Number:
			text = v.String()
		case string:
			text = v
		default:
			return "", fmt.Errorf("%s must have a number", name)
		}
		if strings.ContainsAny(name+text, ",=") {
			return "", fmt.Errorf("%q is not a name with a number", name)
		}
		items = append(items, name+"="+text)
	}
	list, err := k.numbers(strings.Join(items, ","))
	return k.numbersText(list), err
}

// numbersText writes the one-line form, in the order of the key's names.
func (k *Key) numbersText(list []named) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b named) int { return slices.Index(k.Values, a.name) - slices.Index(k.Values, b.name) })
	items := make([]string, len(list))
	for i, n := range list {
		items[i] = n.name + "=" + strconv.FormatFloat(n.number, 'f', -1, 64) + k.Unit
	}
	return strings.Join(items, ",")
}

// numbersJSON gives the one-line form as it stands in settings.json.
func (k *Key) numbersJSON(text string) any {
	list, _ := k.numbers(text) // it was checked
	object := map[string]any{}
	for _, n := range list {
		number := strconv.FormatFloat(n.number, 'f', -1, 64)
		if object[n.name] = json.RawMessage(number); k.Unit != "" {
			object[n.name] = number + k.Unit
		}
	}
	return object
}

func (k *Key) sampleNumber() string {
	first, _, _ := strings.Cut(k.Default, ",")
	return first
}

func (k *Key) numbersForm() string {
	name, number, _ := strings.Cut(k.sampleNumber(), "=")
	if k.Unit != "" {
		number = strconv.Quote(number)
	}
	return fmt.Sprintf(`an object of names and numbers, such as {%q: %s}`, name, number)
}
