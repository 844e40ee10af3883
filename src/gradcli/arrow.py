"""The name under which `map_in_arrow` was known before it became `gradcli.map_in_arrow`."""

from gradcli.files.arrow import map_in_arrow as map_in_arrow
