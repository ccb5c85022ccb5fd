package main
import ("testing";"fmt";"path/filepath";"cmem/recall";"cmem/store";"cmem/memory")
func TestZZ(t *testing.T){
 sets,_:=readSets("testdata")
 for _,s:=range sets{
  a,_:=readActions("testdata",s.Name)
  db,err:=store.Open(t.Context(),filepath.Join(t.TempDir(),"x.db")); if err!=nil{t.Fatal(err)}
  list,_:=s.Groups[0].observations(); var o outcome; o.fill(t.Context(),db,list)
  names:=map[string]string{}
  for i,d:=range s.Groups[0].Docs{names[list[i].UID]=d.ID}
  for _,f:=range a.Failures{
   text:=recall.DebugTrouble(f.Command,f.Error)
   fmt.Println(s.Name,f.ID,f.Relevant,"|",text)
   ans,_:=recall.Search(t.Context(),db,recall.Query{Text:text,Filter:memory.Filter{},Limit:3})
   for _,r:=range ans.Results{ fmt.Printf("     %s rel %.2f kw %.2f sem %.2f exact %v gate %s\n",names[r.Observation.UID],r.Score.Relevance,r.Score.Keyword,r.Score.Semantic,r.Score.Exact, recall.DebugGate(t.Context(),db,f.Command,f.Error,*r.Observation))}
  }
  for _,f:=range a.Prompts{
   fmt.Println(s.Name,f.ID,f.Relevant,"|",f.Prompt)
   ans,_:=recall.Search(t.Context(),db,recall.Query{Text:f.Prompt,Filter:memory.Filter{},Limit:3})
   for _,r:=range ans.Results{ fmt.Printf("     %s rel %.2f kw %.2f sem %.2f exact %v\n",names[r.Observation.UID],r.Score.Relevance,r.Score.Keyword,r.Score.Semantic,r.Score.Exact)}
  }
 }
}
