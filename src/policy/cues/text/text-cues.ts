import { oneLine } from '#domain/text/one-line.ts'
import { cueLimits, type CueId, type CueSource } from '#domain/policy/cues.ts'
import { findSecrets } from '#domain/text/secrets.ts'
import { destructiveSql } from './sql-cues.ts'

/** The rest of a longer text is not examined; `leavesOf` cuts it first, and says so. */
const maxCharacters = 1024 * 1024

interface Phrase {
  readonly id: CueId
  readonly text: string
  /** each of them occurs in the line, in lower case and without white space and quotes */
  readonly parts: readonly string[]
}

const phrase = (id: CueId, text: string, ...parts: readonly string[]): Phrase => ({
  id,
  text,
  parts,
})

const protections = `
  verify=false rejectunauthorized:false insecureskipverify:true insecureskipverify=true
  node_tls_reject_unauthorized=0 node_tls_reject_unauthorized:0 git_ssl_no_verify strict-ssl=false
  ssl_verify=false verify_ssl=false verify_ssl:false ssl_verify:false
  allowprivilegeescalation:true privileged:true privileged=true csrf_exempt
  publicly_accessible=true deletion_protection=false prevent_destroy=false force_destroy=true
  skip_final_snapshot=true encrypted=false storage_encrypted=false enable_key_rotation=false
  block_public_acls=false block_public_policy=false restrict_public_buckets=false acl=public-read
  pull_request_target permissions:write-all permitrootlogin:yes permitemptypasswordsyes
  permitrootloginyes stricthostkeycheckingno stricthostkeychecking=no --no-verify --insecure
  hostpid:true hostipc:true disablerowlevelsecurity setenforce0 auth:false auth=false
  authentication:false authentication=false readonlyrootfilesystem:false runasnonroot:false
  seccompprofile:unconfined verify_mode=openssl::ssl::verify_none cert_none`
const networks = `
  0.0.0.0/0 ::/0 hostnetwork:true type:loadbalancer type:nodeport network_mode:host
  network:allow listen0.0.0.0 host:0.0.0.0 host=0.0.0.0`
const productions = `
  environment:production environment:prod environment=production environment=prod
  namespace:production namespace:prod namespace=production namespace=prod env:production env:prod
  stage:production stage:prod stage=prod stage=production workspace=prod workspace=production
  rails_env=production app_env=production app_env:production deploy_env=production`

const list = (words: string): string[] => words.split(/\s+/).filter((word) => word !== '')
const phrases: readonly Phrase[] = [
  ...list(protections).map((part) => phrase('protection_off', 'Switches a protection off', part)),
  ...list(networks).map((part) => phrase('opens_network', 'Opens the network', part)),
  ...list(productions).map((part) => phrase('production', 'Mentions production', part)),
  phrase('downloads_and_runs', 'Downloads and runs', 'curl', '|sh'),
  phrase('downloads_and_runs', 'Downloads and runs', 'curl', '|bash'),
  phrase('downloads_and_runs', 'Downloads and runs', 'curl', '|sudo'),
  phrase('downloads_and_runs', 'Downloads and runs', 'wget', '|sh'),
  phrase('downloads_and_runs', 'Downloads and runs', 'wget', '|bash'),
  phrase('downloads_and_runs', 'Downloads and runs', 'bash<(curl'),
]

/** Prose is for people: its words switch nothing off. */
const prose = /\.(?:md|mdx|txt|rst|adoc|csv|tsv|po|svg|html|htm)$/i
const sqlFile = /\.sql$/i

/** Cues from the lines of a text that is written. In prose only secrets count. Pure and linear. */
export function textCues(text: string, path: string): readonly CueSource[] {
  return [...secretCues(text), ...lineCues(text, path)]
}

/** The same without secrets: nothing in prose. */
export function lineCues(text: string, path: string): readonly CueSource[] {
  if (prose.test(path)) return []
  const head = text.slice(0, maxCharacters)
  const isSql = sqlFile.test(path) || path.toLowerCase().includes('migrat')
  const cues: CueSource[] = isSql ? [...destructiveSql(head)] : []
  for (const line of head.split('\n')) {
    if (line.trim() === '') continue
    const packed = line.toLowerCase().replaceAll(/[\s"'`]/g, '')
    if (/^(?:#|\/\/)/.test(packed)) continue
    for (const { id, text: what, parts } of phrases) {
      if (!parts.every((part) => holds(packed, part))) continue
      cues.push({ id, text: `${what}: ${oneLine(line, 120)}`, says: line.slice(0, cueLimits.says) })
      break
    }
  }
  return cues
}

/** `environment:prod` does not occur in `environment:product`. */
function holds(packed: string, part: string): boolean {
  let at = packed.indexOf(part)
  while (at >= 0) {
    const after = packed[at + part.length] ?? ''
    const before = packed[at - 1] ?? ''
    const isWhole =
      part === 'curl' ||
      part === 'wget' ||
      !/[a-z]/.test(part.at(-1) ?? '') ||
      !/[a-z0-9_]/.test(after)
    const isStart = !/[a-z]/.test(part[0] ?? '') || !/[a-z0-9]/.test(before)
    const isNumber = /[0-9]/.test(part[0] ?? '') && /[0-9.]/.test(before)
    if (isWhole && isStart && !isNumber) return true
    at = packed.indexOf(part, at + 1)
  }
  return false
}

/** Possible secrets, each with its line. */
export function secretCues(text: string): readonly CueSource[] {
  const head = text.slice(0, maxCharacters)
  let line = 0
  let from = 0
  let to = -1
  return findSecrets(head).flatMap(({ start, end, kind }) => {
    // Counts on from the secret before: with many secrets, counting from line 1 is quadratic.
    while (to < start) {
      from = to + 1
      const lineEnd = head.indexOf('\n', from)
      to = lineEnd < 0 ? head.length : lineEnd
      line += 1
    }
    const value = head.slice(start, end)
    if (kind === 'named secret' && isStandIn(head, start, value)) return []
    return [
      {
        id: 'secret_added' as const,
        // Without a colon, after which the kind itself would look like a secret.
        text: `Holds what looks like a secret (${kind})`,
        line,
        says: head.slice(from, Math.min(to, from + cueLimits.says)),
      },
    ]
  })
}

const standIns =
  /^(?:process\.|os\.|env\.|config\.|settings\.|secrets?\.|getenv|import\.|vars?\.|self\.|this\.|options\.|opts\.|params\.|request\.|req\.|data\.|local\.|module\.|props\.)/i
const placeholders =
  /^(?:change-?me|placeholder|your[-_]|example|xxx|redacted|dummy|todo|null|undefined|true|false|required|optional|string|password|secret)/i

/** A reference to a value elsewhere, or a placeholder. */
function isStandIn(text: string, start: number, value: string): boolean {
  const after = text[start + value.length] ?? ''
  return standIns.test(value) || placeholders.test(value) || after === '(' || after === '['
}

/** The line of a position, from 1. */
export function lineAt(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) {
    line += 1
  }
  return line
}
