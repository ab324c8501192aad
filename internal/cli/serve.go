package cli

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"misstep/campaign/board"
	"misstep/campaign/hub"
)

func newServe() *cobra.Command {
	var listen, dir, pages, cluster, key string
	var lease time.Duration
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Serve a hub, where campaigns are submitted and workers take their jobs",
		Long: `Serve is where the machines of a team meet: hunt --join submits a campaign to it, and
work --join takes its jobs. What a campaign consists of lies in the hub's folder, so that
whoever submitted it may go, and go on from another machine; and so that no death of a
worker, a submitter or of the hub itself loses what was found.

On this machine alone, which is the default, nobody is asked for credentials. Beyond it
connections are encrypted, and nobody comes in without the key of the team: the file
team.key in the hub's folder, which --key of the others names. Whoever has it may submit
programs, which the workers execute; docs/teams.md says what that means.

Exit codes: 0 it was interrupted, 1 error, 2 usage.`,
		Example: `  misstep serve
  misstep serve --listen 0.0.0.0:4250 --dir /var/lib/misstep`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if dir == "" {
				config, err := os.UserConfigDir()
				if err != nil {
					return fmt.Errorf("finding a folder for the hub (name one with --dir): %w", err)
				}
				dir = filepath.Join(config, "misstep", "hub")
			}
			say := func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "misstep:", text) }
			out := cmd.OutOrStdout()
			host, _, err := net.SplitHostPort(pages)
			if err != nil {
				return usagef("--pages %s: expected HOST:PORT", pages)
			}
			var h *hub.Hub
			var config *tls.Config
			pageKey := ""
			if cluster != "" {
				if cmd.Flags().Changed("listen") || cmd.Flags().Changed("dir") || cmd.Flags().Changed("lease") {
					return usagef("--nats is in the place of a hub here: --listen, --dir and --lease are not for it")
				}
				if !hub.Loopback(host) {
					return usagef("--pages %s: the pages of a cluster are served on this machine alone", pages)
				}
				if h, err = hub.Join(ctx, cluster, key); err != nil {
					return err
				}
				defer h.Close()
			} else {
				if key != "" {
					return usagef("--key is for --nats")
				}
				s, err := hub.Serve(listen, dir, lease, say)
				if err != nil {
					return err
				}
				defer s.Close()
				if config, pageKey, err = s.Guard(); err != nil {
					return err
				}
				switch {
				case hub.Loopback(host):
					config, pageKey = nil, ""
				case config == nil:
					return usagef("--pages %s: beyond this machine pages need the hub's certificate, and a hub on this machine has none; name another address with --listen, too", pages)
				}
				if h, err = s.Join(ctx); err != nil {
					return err
				}
				defer h.Close()
				with := ""
				if s.Key != "" {
					with = " --key " + s.Key
				}
				fmt.Fprintf(out, "a hub at %s, with its state in %s\n", s.Address, dir)
				fmt.Fprintf(out, "  misstep work --join %s%s\n", s.Address, with)
				fmt.Fprintf(out, "  misstep hunt --join %s%s\n", s.Address, with)
			}
			b, err := board.Serve(pages, h, config, pageKey)
			if err != nil {
				return err
			}
			defer b.Close()
			fmt.Fprintf(out, "pages at %s\n", b.Link)
			<-ctx.Done()
			return nil
		},
	}
	cmd.Flags().StringVar(&listen, "listen", hub.DefaultAddress, "address to listen on, HOST:PORT")
	cmd.Flags().StringVar(&dir, "dir", "", "folder of the hub's state and keys (default misstep/hub below the user's configuration)")
	cmd.Flags().StringVar(&cluster, "nats", "", "serve the pages of a NATS cluster that is the hub, in place of a hub here: its URL")
	cmd.Flags().StringVar(&key, "key", "", "with --nats, a file with credentials for the cluster")
	cmd.Flags().StringVar(&pages, "pages", board.DefaultAddress, "address of the pages, HOST:PORT")
	cmd.Flags().DurationVar(&lease, "lease", hub.DefaultLease, "a worker that is not heard of for so long is taken for dead, and its jobs go to others")
	return cmd
}
