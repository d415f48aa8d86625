import { flags, type Program } from './program.ts'

export const unameProgram: Program = {
  names: ['uname', 'arch', 'nproc', 'whoami', 'id', 'groups', 'logname', 'tty'],
  flags: flags(
    '-a -s -n -r -v -m -p -i -o -u -g -G -z --all --kernel-name --nodename --kernel-release',
    '--machine --operating-system --user --group --groups --name --ignore= --silent',
  ),
}
