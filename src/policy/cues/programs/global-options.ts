import { valueIn } from '#domain/json/value-in.ts'
import { wordSet } from '#domain/text/word-set.ts'

/** Options of a program that take the next word as their value, where they may stand. */
interface GlobalOptions {
  /** before its command: `git -C dir reset` */
  readonly before: ReadonlySet<string>
  /** by command: before that command's own, `docker compose -f file down` */
  readonly behind?: Readonly<Record<string, ReadonlySet<string>>>
}

const git = wordSet('-C -c --git-dir --work-tree --namespace --super-prefix --config-env')
const kubectl = wordSet(`
  -n --namespace --context --cluster --kubeconfig -s --server --user --token --as --as-group --as-uid
  --certificate-authority --client-certificate --client-key --tls-server-name --request-timeout
  --cache-dir --username --password --profile --profile-output -v --v --vmodule`)
const helm = wordSet(`
  -n --namespace --kube-context --kubeconfig --kube-apiserver --kube-as-user --kube-as-group
  --kube-ca-file --kube-token --kube-tls-server-name --registry-config --repository-cache
  --repository-config --burst-limit --qps`)
const docker = wordSet(`
  -H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey --connection --url
  --identity --root --runroot --storage-driver --storage-opt --cgroup-manager --events-backend`)
const compose = wordSet(`
  -f --file -p --project-name --env-file --profile --project-directory --ansi --parallel --progress`)
const npm = wordSet(`
  --prefix -C --dir --cwd -w --workspace -F --filter --registry --userconfig --globalconfig --cache
  --loglevel --otp`)
const pip = wordSet(`
  --python --proxy --log --cache-dir --retries --timeout --exists-action --trusted-host --cert
  --client-cert --directory --project --config-file`)
const clouds = wordSet(`
  --profile --region --output --endpoint-url --query --ca-bundle --color --project --account
  --configuration --subscription --format --verbosity`)
const release = wordSet(`
  -R --repo --hostname -a --app -t --token -c --config --cwd -C --stack -s --scope -e --env --site
  --auth --profile --context`)

/** By program: the options that may precede its command. Only own properties count. */
const byProgram: Readonly<Record<string, GlobalOptions>> = {
  git: { before: git },
  kubectl: { before: kubectl },
  oc: { before: kubectl },
  helm: { before: helm },
  terraform: { before: wordSet('-chdir') },
  tofu: { before: wordSet('-chdir') },
  docker: { before: docker, behind: { compose } },
  podman: { before: docker, behind: { compose } },
  npm: { before: npm },
  pnpm: { before: npm },
  yarn: { before: npm },
  bun: { before: npm },
  pip: { before: pip },
  pip3: { before: pip },
  uv: { before: pip },
  cargo: { before: wordSet('-C --config --manifest-path --color -Z') },
  go: { before: wordSet('-C') },
  poetry: { before: wordSet('-C --directory -P --project') },
  bundle: { before: wordSet('--gemfile') },
  composer: { before: wordSet('-d --working-dir') },
  aws: { before: clouds },
  gcloud: { before: clouds },
  az: { before: clouds },
  gh: {
    before: release,
    behind: { repo: release, release, pr: release, issue: release, secret: release },
  },
  pulumi: { before: release },
  fly: { before: release },
  flyctl: { before: release },
  vercel: { before: release },
  netlify: { before: release },
  wrangler: { before: release },
  serverless: { before: release },
  sls: { before: release },
  cdk: { before: wordSet('-a --app -c --context --profile -o --output -r --role-arn') },
  'redis-cli': { before: wordSet('-h -p -s -a -u -r -i -n --user --pass --cacert --cert --key') },
  systemctl: { before: wordSet('-H --host -M --machine -t --type -p --property --root -n -o -s') },
  'apt-get': { before: wordSet('-o --option -c --config-file -t --target-release') },
  apt: { before: wordSet('-o --option -c --config-file -t --target-release') },
}

/**
 * The words of a command without the options before its verb, and without their values: `-C dir
 * reset --hard` of git as `reset --hard`, `compose -f file down -v` of docker as `compose down -v`.
 * A word that is not known (`?`) may be such an option. Pure.
 */
export function fromVerb(program: string, args: readonly string[]): readonly string[] {
  const options = valueIn(byProgram, program)
  if (options === undefined) return args
  const rest = skipOptions(args, options.before)
  const [verb] = rest
  const behind = options.behind ?? {}
  const more = verb === undefined ? undefined : valueIn(behind, verb)
  return verb === undefined || more === undefined
    ? rest
    : [verb, ...skipOptions(rest.slice(1), more)]
}

function skipOptions(args: readonly string[], valued: ReadonlySet<string>): readonly string[] {
  let at = 0
  for (;;) {
    const word = args[at]
    const isToolChain = word?.startsWith('+') === true
    if (word === undefined || !(word.startsWith('-') || word === '?' || isToolChain)) break
    at += valued.has(word) ? 2 : 1
  }
  return args.slice(at)
}
