import { wordSet } from '#domain/text/word-set.ts'
import { hasWord, moneyWords, productionWords } from '../text/words.ts'
import { hasOption, operandsOf, type CueMatch, type CueFinder } from './command-words.ts'
import { systemManagers } from './network.ts'

const packagers = wordSet('npm pnpm yarn bun pip pip3 poetry uv cargo gem bundle composer go')
const changing = wordSet(`
  install i add update upgrade uninstall remove rm require up get unlink dedupe`)
const clusterChanges = wordSet(`
  apply create delete replace patch scale rollout set edit drain cordon exec annotate label expose
  autoscale taint cp`)
const accounts = wordSet(`
  passwd chpasswd useradd usermod userdel adduser deluser groupadd visudo htpasswd ssh-keygen
  ssh-copy-id`)

/** The purposes of commands: sign-in, migrations, dependencies, money, production. */
export const purposeHits: CueFinder = (command) => {
  const { program, args } = command
  const operands = operandsOf(command)
  const [first = '', second = ''] = operands
  const hits: CueMatch[] = []
  if (accounts.has(program))
    hits.push(['touches_sign_in', 'Changes how people or programs sign in'])
  if (migrates(program, args)) hits.push(['touches_migrations', 'Migrates a database'])
  if (changesDependencies(program, first, second)) {
    hits.push(['touches_dependencies', 'Changes what is installed'])
  }
  if (args.some((word) => hasWord(word, paymentWords)) || program === 'stripe') {
    hits.push(['money', 'Is about money'])
  }
  const released = publishes(program, operands, args)
  if (released !== null) hits.push(['production', released])
  else if (namesProduction(program, args)) hits.push(['production', 'Mentions production'])
  return hits
}

/** Fewer than for file names, since commands have many words. */
const paymentWords = wordSet(
  [...moneyWords]
    .filter((word) => !/^(?:pay|price|charge|transfer|discount|purchase|checkout)s?$/.test(word))
    .join(' '),
)

function migrates(program: string, args: readonly string[]): boolean {
  const text = args.join(' ')
  if (/^(?:alembic|flyway|liquibase|dbmate|goose|atlas|knex|sqitch)$/.test(program)) {
    return !hasOption(args, '--version', '--help')
  }
  if (/(?:^|[ :/])migrate(?:[ :.]|$)/.test(text)) return true
  return /(?:^|\s)db:(?:migrate|rollback|push|reset|drop|schema:load)/.test(text)
}

function changesDependencies(program: string, first: string, second: string): boolean {
  if (systemManagers.has(program)) return changing.has(first)
  if (program === 'go') return first === 'get' || (first === 'mod' && second === 'tidy')
  if (program === 'uv' && first === 'pip') return changing.has(second)
  if (program === 'yarn' && first === '') return true
  return packagers.has(program) && changing.has(first)
}

function publishes(
  program: string,
  [first = '', second = '']: readonly string[],
  args: readonly string[],
): string | null {
  if (program === 'kubectl' && clusterChanges.has(first)) return 'Changes what runs in a cluster'
  if (program === 'helm' && /^(?:install|upgrade|uninstall|rollback|delete)$/.test(first)) {
    return 'Changes what runs in a cluster'
  }
  const plans = program === 'terraform' || program === 'tofu' || program === 'pulumi'
  if (plans && /^(?:apply|destroy|up|import|taint|state)$/.test(first))
    return 'Changes infrastructure'
  if (program === 'ansible-playbook')
    return hasOption(args, '--check', '-C') ? null : 'Changes servers'
  if (/^(?:npm|pnpm|yarn|cargo|bun)$/.test(program) && first === 'publish')
    return 'Publishes a package'
  if (program === 'twine' && first === 'upload') return 'Publishes a package'
  if (program === 'gh' && first === 'release' && second === 'create') return 'Publishes a release'
  if (program === 'docker' && first === 'push') return 'Publishes an image'
  const deploys = /^(?:fly|flyctl|vercel|netlify|wrangler|serverless|sls|cdk|eb)$/.test(program)
  return deploys && (first === 'deploy' || hasOption(args, '--prod', '--production'))
    ? 'Deploys'
    : null
}

/** A build mode is not a system: `--mode production` makes files. */
function namesProduction(program: string, args: readonly string[]): boolean {
  if (
    /^(?:vite|webpack|rollup|esbuild|next|tsc|npm|pnpm|yarn|bun|echo|grep|rg|cat|ls)$/.test(program)
  ) {
    return false
  }
  const isMode = (word: string): boolean => /^--?(?:production|mode|omit|only)\b/.test(word)
  return args.some(
    (word, at) => hasWord(word, productionWords) && !isMode(word) && !isMode(args[at - 1] ?? ''),
  )
}
