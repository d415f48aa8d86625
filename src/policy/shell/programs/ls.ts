import { flags, type Program } from './program.ts'

export const lsProgram: Program = {
  names: ['ls', 'dir', 'vdir'],
  flags: flags(
    '-a -A -b -B -c -C -d -f -F -g -G -h -H -i -I= -k -l -L -m -n -N -o -p -q -Q -r -R -s',
    '-S -t -T= -u -U -v -w= -x -X -Z -1 --all --almost-all --color? --directory --classify',
    '--full-time --group-directories-first --human-readable --si --inode --dereference',
    '--numeric-uid-gid --reverse --recursive --size --sort= --time= --time-style= --width=',
    '--format= --indicator-style= --block-size= --hide= --ignore=',
  ),
}
