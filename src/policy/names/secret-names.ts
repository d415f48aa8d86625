import { foldPath } from './fold-name.ts'
import { words } from './words.ts'

const folders = new Set(words('.ssh .gnupg .aws .azure .kube .docker'))
const files = new Set(
  words(`
      id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk .netrc _netrc .npmrc .pypirc
      .git-credentials .pgpass .htpasswd .vault-token .my.cnf .mylogin.cnf .s3cfg .boto .dockercfg
      .terraformrc credentials.tfrc.json`),
)
const suffixes = words('.pem .key .p12 .pfx .jks .keystore .keytab .kdbx .ppk .ovpn')
/** Keys of Apple as it names them; other files with this suffix are programs of PICO-8. */
const appleKey = /^(?:authkey|subscriptionkey)_.*\.p8$/

/**
 * Whether a path names an environment or key file, the reading of which asks (security.md 8).
 * Returns the folded name, or `null`. Tools that read many files leave these out.
 */
export function secretName(path: string): string | null {
  const components = foldPath(path)
  const folder = components.slice(0, -1).find((name) => folders.has(name))
  if (folder !== undefined) return folder
  const name = components.at(-1) ?? ''
  if (name.startsWith('.env') || files.has(name) || appleKey.test(name)) return name
  return suffixes.some((suffix) => name.endsWith(suffix)) ? name : null
}
