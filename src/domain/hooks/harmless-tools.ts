/**
 * Claude Code's tools that need no approval, each with the reason (security.md 32). Names are
 * exact: every other tool, and every other spelling, asks. Reading files is not harmless: `Read`,
 * `Glob` and `Grep` are judged.
 */
const harmless: ReadonlyMap<string, string> = new Map([
  ['AskUserQuestion', 'asks the person who sits in front of the session'],
  ['CronList', 'lists what the session has scheduled, each of which was asked about'],
  ['EnterPlanMode', 'only takes rights away from the session, until its person agrees to a plan'],
  ['TaskCreate', 'writes an entry of the list of things to do of the session'],
  ['TaskGet', 'reads an entry of that list'],
  ['TaskList', 'reads that list'],
  ['TaskUpdate', 'changes an entry of that list'],
  ['TodoWrite', 'writes the list of things to do of the session'],
  ['ToolSearch', 'looks up descriptions of tools, whose calls come here themselves'],
])

/** Why a tool of Claude Code needs no approval; `null`: it asks. */
export function harmlessReason(tool: string): string | null {
  return harmless.get(tool) ?? null
}
