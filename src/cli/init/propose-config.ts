import { fileTools } from '#domain/tools/built-in-tools.ts'
import { printableLine } from '../text/terminal-text.ts'
import type { FolderFacts } from './look-at-folder.ts'

/**
 * countersign.yaml for a folder, commented. `root`: the root of the workspace if it is not the
 * project folder.
 */
export function proposeConfig(facts: FolderFacts, root: string | null): string {
  return `# yaml-language-server: $schema=./node_modules/@countersign/tools/schemas/countersign.schema.json
# Who works here, who decides, and by which rules. \`countersign check\` explains every mistake.
version: 1

people: # optional; anyone named in a team is a person already
  - { email: you@example.com, name: You }

teams:
  reviewers: { members: [you@example.com, colleague@example.com] }

queues:
  review:
    team: reviewers
    selfApproval: false # nobody approves what they started
    expiresAfter: 72h

defaults: { queue: review } # where calls go that no routing entry matches

${workspaces(facts, root)}${routingText(facts)}
# The organisation's own rules; they may only tighten.
# overlays:
#   - when: { tool: delete_file }
#     approval: { blocked: Nothing is deleted here }

rights:
  manageRuns: [reviewers]
  readAudit: [reviewers]
  activatePolicy: [reviewers]
  managePeople: [reviewers]
`
}

function workspaces({ worktrees }: FolderFacts, root: string | null): string {
  const entry = (more: string): string =>
    `workspaces: { default: { root: ${JSON.stringify(root ?? '.')}${more} } }\n`
  const isolated = entry(', isolation: worktree')
  if (worktrees?.possible === true) {
    const { copy } = worktrees
    const exception = copy.length === 0 ? '' : ', but for copies of what `copy` names'
    const isolation = entry(
      `, isolation: worktree${copy.length === 0 ? '' : `, copy: ${flow(copy)}`}`,
    )
    return `# Each run works in a Git worktree and on a branch of its own, which begins at the last commit of
# the branch that is checked out, or of \`base\`. What is not committed is not in it${exception}.
${isolation}
`
  }
  const why =
    worktrees === null
      ? ''
      : `# \`isolation: worktree\` gives each run a Git worktree of its own. Not proposed, since
# ${printableLine(worktrees.problem)}.
`
  if (root !== null) return `# Where zones lie, relative to this folder.\n${why}${entry('')}\n`
  return why === '' ? '' : `${why}# ${isolated}\n`
}

function flow(names: readonly string[]): string {
  const words = names.map((name) => (/^[\w.@/-]+$/.test(name) ? name : JSON.stringify(name)))
  return `[${words.join(', ')}]`
}

function routingText({ infrastructure, isGit, worktrees }: FolderFacts): string {
  const entries = [
    ...infrastructure.map(
      (name) => `  # ${name}/ describes what runs elsewhere: high risk needs a reason.
  - when: { tool: [${fileTools().join(', ')}], path: "${name}/**" }
    risk: high
`,
    ),
    // A push from a worktree is a separate tool, at high risk.
    ...(isGit && worktrees?.possible !== true
      ? [
          `  # What leaves this machine.
  - when: { command: git push }
    risk: high
`,
        ]
      : []),
  ]
  if (entries.length > 0) {
    return `# First match wins; decides queue, quorum, risk and scopes.
routing:
${entries.join('')}`
  }
  return `# First match wins; decides queue, quorum, risk and scopes.
# routing:
#   - when: { tool: [write_file, edit_file, delete_file], path: "infra/**" }
#     risk: high
#     quorum: { count: 2 }
`
}
