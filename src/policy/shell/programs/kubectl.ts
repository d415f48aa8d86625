import { words } from '../../names/words.ts'
import { flags, type Program } from './program.ts'

const targetFlags =
  '-n= --namespace= -A --all-namespaces --context= --cluster= --request-timeout= -v= --v= --as= --as-group= -l= --selector= --field-selector='

const outputFlags =
  '-o= --output= --no-headers --show-labels --show-kind --label-columns= -L= --sort-by= --chunk-size= --ignore-not-found -w --watch --watch-only --template='

/** Commands that change a cluster, or may: a rule must spell out every operand. */
const changingCommands = Object.fromEntries(
  words(`
    annotate apply auth autoscale config cordon cp create debug delete diff drain edit exec expose
    label patch port-forward replace rollout run scale set taint uncordon wait`).map((name) => [
    name,
    { flags: null, spellOut: 'all' } as const,
  ]),
)

/**
 * `kubectl`: commands that only read have a list of harmless flags; others ask unless the rule
 * spells them out. `--kubeconfig` is not harmless: such a file can name a program that is run for
 * signing in.
 */
export const kubectlProgram: Program = {
  names: ['kubectl', 'oc'],
  flags: flags(targetFlags),
  runs: 'command',
  subcommands: {
    'api-resources': {
      flags: flags(targetFlags, outputFlags, '--api-group= --namespaced? --verbs= --cached'),
    },
    'api-versions': { flags: flags(targetFlags) },
    'cluster-info': {
      flags: flags(targetFlags),
      operands: ([verb]) => (verb === undefined ? null : 'writes a dump'),
    },
    describe: {
      flags: flags(targetFlags, '--show-events? -f=path --filename=path -R --recursive'),
    },
    events: { flags: flags(targetFlags, outputFlags, '--for= --types=') },
    explain: { flags: flags(targetFlags, '--recursive --api-version= -o= --output=') },
    get: {
      flags: flags(
        targetFlags,
        outputFlags,
        '-f=path --filename=path -R --recursive --show-managed-fields --subresource=',
      ),
    },
    logs: {
      flags: flags(
        targetFlags,
        '-c= --container= --all-containers -p --previous --since= --since-time= --tail= --timestamps --prefix --limit-bytes= --max-log-requests= -f --follow',
      ),
    },
    top: {
      flags: flags(
        targetFlags,
        '--containers --no-headers --sort-by= --sum --use-protocol-buffers',
      ),
    },
    version: { flags: flags(targetFlags, '--client --short -o= --output=') },
    ...changingCommands,
  },
}
