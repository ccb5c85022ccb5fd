package recall
import ("context";"fmt";"cmem/memory";"strings")
func DebugTrouble(c,o string) string { return newTrouble(strings.Join(tellingLines(o)," "),program(c)).text }
func DebugGate(ctx context.Context, src SearchSource,c,out string,o memory.Observation) string {
 t:=newTrouble(strings.Join(tellingLines(out)," "),program(c)); rar,_:=src.Rarities(ctx,t.words)
 return fmt.Sprintf("%v name=%v codes=%v", t.isIn(o,rar), holdsAny(textOf(o),t.names),t.codes)
}
