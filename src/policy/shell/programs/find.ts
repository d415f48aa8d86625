import { flags, type Program } from './program.ts'

/** Tests and printing; `-exec`, `-ok`, `-delete`, `-fprint` and their kin run, remove and write. */
export const findProgram: Program = {
  names: ['find'],
  runsWith: ['-exec', '-execdir', '-ok', '-okdir'],
  wordFlags: true,
  readsFolder: true,
  flags: flags(
    '-H -L -P -O1 -O2 -O3 -a -and -o -or -not -daystart -depth -d -empty -executable -readable -writable -false -true',
    '-follow -mount -xdev -noleaf -nouser -nogroup -nowarn -warn -print -print0 -prune -quit -ls',
    '-amin= -anewer=path -atime= -cmin= -cnewer=path -ctime= -fstype= -gid= -group= -ilname= -iname=',
    '-inum= -ipath= -iregex= -iwholename= -links= -lname= -maxdepth= -mindepth= -mmin= -mtime= -name=',
    '-newer=path -path= -perm= -printf= -regex= -regextype= -samefile=path -size= -type= -uid= -used=',
    '-user= -wholename= -xtype=',
  ),
}
