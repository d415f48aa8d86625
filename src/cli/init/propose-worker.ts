import { printableLine } from '../text/terminal-text.ts'
import type { FolderFacts } from './look-at-folder.ts'

/**
 * workers/assistant.md for a folder, commented. The name of a folder can have line breaks: in a
 * comment it is on one line, so that no rule begins in it.
 */
export function proposeWorker(facts: FolderFacts): string {
  return `---
# yaml-language-server: $schema=../node_modules/@countersign/tools/schemas/worker.schema.json
name: assistant
description: Works in this folder; every change waits for a colleague
# A real model: anthropic:…, openai:…, google:…, openai-compatible:… with its key in .env.
# A script plays fixed turns and needs no key.
model: script:scripts/assistant.yaml
# With a real model, remove this: runs then rest after their answer, for your next message.
conversation: false
zones:
  # Everything may be read, every change waits. The deepest root that contains a path decides.
  - name: project
    root: .
    mode: rw
    approval: { read: preApproved, write: ask, delete: ask }
${facts.documents.map(documentZone).join('')}${facts.dependencies.map(dependencyZone).join('')}${shell(facts)}tools:
  say_hello: {}
  ask_person: {} # asks whoever started the run; an answer approves nothing
${branchTools(facts)}---
You help with the files of this project. Read before you write, and change no more than you were asked to.
`
}

/** The tools that bring the branch of a run to other branches. */
function branchTools({ worktrees }: FolderFacts): string {
  if (worktrees?.possible !== true) return ''
  const push = worktrees.remotes.length === 0 ? '' : '  git_push: {} # to a remote, at high risk\n'
  return `  merge_branch: {} # into the branch at which the run began; always asks\n${push}`
}

function documentZone(folder: string): string {
  return `  # Documents are edited, not deleted.
  - name: ${nameOf(folder)}
    root: ${folder}
    mode: rw
    approval: { read: preApproved, write: ask, delete: { blocked: Documents are kept } }
`
}

function dependencyZone(folder: string): string {
  return `  # What others wrote is read, not changed.
  - name: ${nameOf(folder)}
    root: ${folder}
    mode: ro
    approval: { read: preApproved }
`
}

/** Names of zones begin with a letter or digit. */
function nameOf(folder: string): string {
  return folder.replace(/^\./, 'dot-')
}

/** The rules for commands; none if the folder does not show which commands its work needs. */
function shell(facts: FolderFacts): string {
  const { isGit, toolChains, worktrees, documents, dependencies } = facts
  const zones = ['project', ...[...documents, ...dependencies].map(nameOf)].join(', ')
  if (!isGit && toolChains.length === 0) return ''
  const rules = [
    '    # First match wins; the more particular rule comes first.',
    ...(isGit ? gitRules : []),
    ...(isGit && worktrees?.possible !== true ? [pushRule] : []),
    ...toolChains.flatMap(({ file, runs, fetches }) => [
      ...(runs.length > 0 ? [`    # ${printableLine(file)}: these run code of this folder.`] : []),
      ...runs.map((pattern) => `    - { pattern: ${pattern}, approval: ask }`),
      ...(fetches.length > 0 ? ['    # This fetches what others wrote, and needs a network.'] : []),
      ...fetches.map((pattern) => `    - { pattern: ${pattern}, approval: ask }`),
    ]),
    // A folder with a zone in it that the rule does not name would ask.
    ...['ls', 'cat'].map(
      (pattern) => `    - { pattern: ${pattern}, approval: preApproved, zones: [${zones}] }`,
    ),
  ]
  return `# Commands see the zones alone, and no network.
sandbox: { required: true, network: none }
shell:
  default: ask # what no rule names; \`blocked\` when left out
  rules:
${rules.join('\n')}
`
}

const gitRules = [
  '    - { pattern: git push --force, approval: blocked, reason: History is shared }',
  '    - { pattern: git reset --hard, approval: blocked, reason: It throws away what was not committed }',
  '    - { pattern: git status, approval: preApproved }',
  '    - { pattern: git log, approval: preApproved }',
  '    - { pattern: git diff, approval: preApproved }',
  '    - { pattern: git add, approval: ask, description: Stage files for commit }',
  '    - { pattern: git commit, approval: ask }',
]
const pushRule = '    - { pattern: git push, approval: ask }'
