import { wordSet } from '#domain/text/word-set.ts'
import type { CommandOfText } from './commands-of.ts'
import { hasOption, operandsOf, type CueMatch, type CueFinder } from './command-words.ts'

/** Programs that fetch a text from an address. */
export const fetchers = wordSet('curl wget aria2c lwp-request http https xh fetch')

const clients = wordSet(`
  ssh scp sftp nc ncat netcat socat telnet ftp tftp nmap dig host nslookup ping traceroute whois
  aws gcloud gsutil az doctl heroku fly flyctl vercel netlify wrangler gh glab hub kubectl helm
  terraform tofu pulumi ansible ansible-playbook psql mysql mongosh redis-cli stripe twilio
  sendmail mail mutt rclone ngrok cloudflared tailscale`)

const package_ = wordSet('install i ci add update upgrade publish exec dlx create outdated audit')
const managers = wordSet('npm pnpm yarn bun pip pip3 pipx uv uvx poetry cargo gem bundle composer')
export const systemManagers = wordSet('apt apt-get dnf yum apk brew pacman snap zypper')
const imageWords = wordSet('pull push run build login buildx compose')

/** Addresses on this machine. */
const local = /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/i

/**
 * Commands that connect to other machines, or open this one to them. A line has only the first cue
 * of a kind, so a command that opens something comes before one that only connects.
 */
export const networkHits: CueFinder = (command) => {
  const { program, args, source } = command
  const hits: CueMatch[] = []
  if (/\/dev\/(?:tcp|udp)\//.test(source)) hits.push(['opens_network', 'Opens a connection'])
  const [first = ''] = operandsOf(command)
  const allows =
    (program === 'ufw' && first === 'allow') ||
    (program === 'iptables' && hasOption(args, '-A', '-I') && args.includes('ACCEPT')) ||
    (program === 'aws' && args.some((word) => word.startsWith('authorize-security-group'))) ||
    (program === 'gcloud' && args.includes('firewall-rules') && args.includes('create'))
  if (allows) hits.push(['opens_network', 'Opens the network to others'])
  if (reaches(command)) hits.push(['opens_network', 'Reaches the network', 'onlyReaches'])
  return hits
}

function reaches(command: CommandOfText): boolean {
  const { program, args } = command
  const operands = operandsOf(command)
  const [first = '', second = ''] = operands
  if (isHelp(args)) return false
  if (fetchers.has(program))
    return operands.length === 0 || !operands.every((one) => local.test(one))
  if (clients.has(program)) {
    if (program === 'terraform' || program === 'tofu') {
      return !['fmt', 'validate', 'version', ''].includes(first)
    }
    if (program === 'helm') return !['template', 'lint', 'version', ''].includes(first)
    return !(program === 'kubectl' && ['kustomize', 'version', 'config', ''].includes(first))
  }
  if (program === 'git') return gitReaches(first, second)
  if (program === 'docker' || program === 'podman') {
    return imageWords.has(first) || args.some((word) => /^(?:ssh|tcp):\/\//.test(word))
  }
  if (program === 'rsync') return operands.some((one) => /^[^/]{1,200}:/.test(one))
  if (program === 'npx' || program === 'bunx' || program === 'uvx') return downloadsPackage(command)
  if (systemManagers.has(program)) return first !== '' && first !== 'list'
  if (program === 'go') return first === 'get' || first === 'install' || second === 'download'
  return managers.has(program) && package_.has(first)
}

/** `npx --yes create-x`, `npx x@latest`: these may download the package. */
export function downloadsPackage(command: CommandOfText): boolean {
  const [first = ''] = operandsOf(command)
  return hasOption(command.args, '-y', '--yes', '-p', '--package') || first.lastIndexOf('@') > 0
}

function gitReaches(first: string, second: string): boolean {
  const words = ['push', 'fetch', 'pull', 'clone', 'ls-remote', 'send-email']
  if (first === 'submodule') return second === 'update' || second === 'add'
  return words.includes(first) || (first === 'remote' && second === 'update')
}

function isHelp(args: readonly string[]): boolean {
  return (
    args.length === 1 &&
    ['--version', '--help', '-V', '-h', 'version', 'help'].includes(args[0] ?? '')
  )
}
