/**
 * A project that uses what workers-and-policy.md describes; scripted workers are written next to it
 * by each test file.
 */
export const contractConfig = `version: 1
people:
  - { email: ada@example.com, name: Ada }
  - { email: alan@example.com, name: Alan }
  - { email: mallory@example.com, name: Mallory }
teams:
  platform: { members: [ada@example.com, grace@example.com, lin@example.com] }
  security: { members: [edsger@example.com, grace@example.com] }
  solo: { members: [ada@example.com] }
queues:
  platform: { team: platform }
  selfish: { team: solo, selfApproval: true }
  quick: { team: platform, expiresAfter: 2s }
  lapse: { team: platform, permitFor: 1s }
  fixed: { team: platform, edits: off }
  revised: { team: platform, edits: revise }
defaults: { queue: platform }
routing:
  - when: { tool: [write_file, edit_file, delete_file], path: "infra/**" }
    risk: high
    quorum: { allOf: [{ team: platform, count: 1 }, { team: security, count: 1 }] }
  - when: { tool: write_file, path: ["two/**", "deux/**"] }
    quorum: { count: 2 }
  - { when: { tool: write_file, path: "any/**" }, quorum: { anyOf: [{ team: security, count: 1 }, { team: platform, count: 2 }] } }
  - { when: { path: "self/**" }, queue: selfish }
  - { when: { path: "quick/**" }, queue: quick }
  - { when: { path: "lapse/**" }, queue: lapse }
  - { when: { path: "fixed/**" }, queue: fixed }
  - { when: { path: "revised/**" }, queue: revised }
overlays:
  - { when: { tool: write_file, path: "frozen/**" }, approval: { blocked: "code freeze until Monday" } }
  - { when: { tool: write_file, path: "cold/**" }, approval: blocked, reason: "cold storage" }
  - { when: { tool: write_file, path: "ice/**" }, approval: blocked }
  - { when: { tool: write_file, path: "scratch/asked/**" }, approval: ask }
rights: { manageRuns: [security], readAudit: [security], activatePolicy: [security], managePeople: [security], startApproveAll: [security] }
`

const zones = `zones:
  - { name: repo, root: ., mode: rw, approval: { read: preApproved } }
  - { name: src, root: ./src, mode: ro }
  - { name: notes, root: ./notes, mode: rw, suffixes: [.md], approval: { read: preApproved, write: ask, delete: { blocked: "notes are history" } } }
  - { name: scratch, root: ./scratch, mode: rw, approval: { write: preApproved, delete: preApproved } }
  - { name: github, root: ./.github, mode: rw, protected: [".github/**"], approval: { read: preApproved } }`

/** A call as a script has it. */
export interface ScriptCall {
  readonly id?: string
  readonly tool: string
  readonly input: unknown
}

/**
 * A worker with these zones and front matter, and the script it plays: one turn of calls, then
 * `Done.`
 */
export function scriptedWorker(
  name: string,
  turns: readonly (readonly ScriptCall[])[],
  more = '',
): Record<string, string> {
  const script = {
    turns: [...turns.map((calls) => ({ text: 'I propose.', calls })), { text: 'Done.' }],
  }
  return {
    [`workers/${name}.md`]: `---\nname: ${name}\ndescription: Plays ${name}\nmodel: script:./scripts/${name}.yaml\n${zones}\n${more}\n---\nPlay.\n`,
    // JSON is YAML.
    [`scripts/${name}.yaml`]: JSON.stringify(script),
  }
}

/** One write per worker: `writer` is told by its name where it writes. */
export function writerTo(folder: string): Record<string, string> {
  const input = { path: `${folder}/file.txt`, content: `text of ${folder}\n` }
  return scriptedWorker(`to-${folder}`, [[{ id: 'w', tool: 'write_file', input }]])
}
