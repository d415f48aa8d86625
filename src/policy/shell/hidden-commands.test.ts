import { expect, test } from 'vitest'
import { analyseCommand } from './analyse-command.ts'
import { whyUnread } from './blocked-commands.ts'
import { judgeBy, rule } from './judging.fixture.ts'

/** `git push` where a program runs its own arguments, or the text of an option. */
const hidden: readonly string[] = [
  'git-push',
  '/usr/lib/git-core/git-push origin',
  'git for-each-repo --config=x push',
  "git fetch --upload-pack='git push' x",
  "git fetch --upl='git push' x",
  "git fetch 'ext::git push'",
  "git clone 'ext::sh -c git% push' x",
  "git remote add x 'ext::git push'",
  "git clone -u 'git push' x y",
  "git clone -u'git push' x y",
  "git ls-remote --exec='git push' x",
  "git grep -O'git push' x",
  "git grep --open-files-in-pager='git push' x",
  "git grep --op='git push' x",
  "git send-email --sendmail-cmd='git push' x",
  "git archive --remote=. --exec='git push' HEAD",
  "git instaweb --httpd='git push'",
  "git difftool --extcmd='git push'",
  "git rebase --exec 'git push' main",
  'git bisect run git push',
  "git shell -c 'git push'",
  'fd -x git push',
  'fdfind --exec git push',
  "rsync -e 'git push' a b:",
  "rsync --rsh='git push' a b:",
  "scp -S 'git push' a h:",
  "sftp -o ProxyCommand='git push' h",
  "nc -e 'git push' h 1",
  "ncat --sh-exec 'git push' h 1",
  "socat - EXEC:'git push'",
  "socat - 'SYSTEM:git push'",
  "split --filter='git push' x",
  "zip x y -T -TT 'git push'",
  "install --strip-program='git push' -s a b",
  "tcpdump -z 'git push' -G 1 x",
  "hg --config alias.x='!git push' x",
  "svn --config-option=config:tunnels:x='git push' co svn+x://h",
  "cvs -e 'git push'",
  "gpg --photo-viewer 'git push' x",
  'gpg-agent --daemon git push',
  "aria2c --on-download-complete='git push' x",
  "wget --use-askpass='git push' x",
  "lynx -editor='git push' x",
  "mutt -e '!git push'",
  'gcc -wrapper git,push x.c',
  'ip netns exec x git push',
  "crontab - <<< '* * * * * git push'",
  "mapfile -C 'git push' -c 1 x < y",
  "readarray -tC 'git push' x < y",
  "complete -C 'git push' x",
  "compgen -C 'git push'",
  'bind -x \'"x":git push\'',
  "sg group 'git push'",
  'eatmydata git push',
  'proxychains git push',
  'conda run git push',
  'pipenv run git push',
  "nix-shell --run 'git push'",
  'nix run x -- git push',
  'mosh h -- git push',
  'systemd-inhibit git push',
  'xterm -e git push',
  'watchexec git push',
  'ccache git push',
  "sed '1e git push' x",
  "tar -cf x y --checkpoint-action='exec=git push'",
  "ssh -o ProxyCommand='git push' h",
  'awk \'BEGIN{system("git push")}\'',
  "vim -c '!git push'",
  "make --eval='x:;git push'",
  'python -c \'import os; os.system("git push")\'',
  "npm exec -c 'git push'",
  "sqlite3 x '.shell git push'",
  "script -qc 'git push' /dev/null",
  "su -s /bin/sh -c 'git push' root",
  "parallel 'git push' ::: x",
  "sort --compress-program='git push' x",
  "rg --pre='git push' x",
]

// Rules: security.md 1, 41; product.md 1
test.each(hidden)('what a program runs of its arguments is blocked: %s', async (script) => {
  const { approval } = await judgeBy([rule('git push', 'blocked')], script)
  expect(approval).toBe('blocked')
})

/** The same words where nothing runs them. */
const harmless: readonly string[] = [
  "git commit -m 'do not git push yet'",
  'git log --grep="git push"',
  "grep 'git push' notes.md",
  'echo git push',
  "rg 'git push' docs",
  'git stash push',
  'git add -u',
  'git status -uall',
  'scp notes.md h:git/push',
  "split -l 10 'git push.md'",
  'install -m 755 git push',
  'mapfile -t git',
]

test.each(harmless)('and is not where nothing runs them: %s', async (script) => {
  const { approval } = await judgeBy([rule('git push', 'blocked')], script)
  expect(approval).toBe('ask')
  const analysis = analyseCommand({ kind: 'shell', script, cwd: '' })
  expect(whyUnread([['git', 'push']], analysis)).toBeNull()
})
