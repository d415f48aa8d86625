import { flags, type Program } from './program.ts'

/** `-C` compiles a magic file, `-m` names one, `-f` reads names from a file. */
export const fileProgram: Program = {
  names: ['file'],
  flags: flags(
    '-b -h -i -I -k -L -N -n -p -r -s -v -z -0 --brief --mime --mime-type --mime-encoding',
    '--extension --keep-going --no-pad --dereference --no-dereference --raw',
  ),
}
