import { builtInToolNames, builtInTools } from '#domain/tools/built-in-tools.ts'
import { isChange } from '#domain/tools/access.ts'
import type { FolderFacts } from './look-at-folder.ts'

/** The tools that change files by themselves; commands are routed by what they run. */
const changingTools = builtInToolNames.filter((name) =>
  builtInTools[name].operations.some((operation) => isChange({ operation })),
)

/**
 * countersign.yaml for a folder, commented. `root`: of the workspace, when it is not the project
 * folder.
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

${workspaces(root)}${routing(facts)}
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

function workspaces(root: string | null): string {
  if (root === null) return ''
  return `# Where zones lie, relative to this folder.
workspaces: { default: { root: ${JSON.stringify(root)} } }

`
}

function routing({ infrastructure, isGit }: FolderFacts): string {
  const entries = [
    ...infrastructure.map(
      (name) => `  # ${name}/ describes what runs elsewhere: high risk needs a reason.
  - when: { tool: [${changingTools.join(', ')}], path: "${name}/**" }
    risk: high
`,
    ),
    ...(isGit
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
